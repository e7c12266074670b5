import type { Client } from '@kiroku/client'
import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectAccessible, withConsole } from './harness/withConsole.ts'

const stage = withConsole()

const batchSize = 1_000

const fill = async (client: Client, queue: string, messages: number): Promise<void> => {
  await client.queues.create(queue)
  const bodies = Array.from({ length: batchSize }, () => ({ body: 'x' }))
  let left = messages / batchSize
  const send = async (): Promise<void> => {
    while (left-- > 0) await client.sendBatch(queue, bodies)
  }
  await Promise.all([send(), send(), send(), send()])
}

const rowsOf = (page: Page): Promise<number> => page.getByRole('grid').getByRole('row').count()

it('draws few of tens of thousands of rows, and loads others as one comes near their end', async () => {
  const { engine, open } = stage()
  await fill(engine.client, 'long', 20_000)
  const page = await open('/messages?queue=long')
  const table = page.getByRole('grid', { name: 'Messages' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  // The index follows the record by a little.
  await waitUntil(
    async () => {
      await page.keyboard.press('r')
      await page.getByRole('button', { name: 'Look again' }).waitFor()
      return table.isVisible()
    },
    { timeoutMs: 60_000 },
  )
  const loaded = async (): Promise<number> => Number(await table.getAttribute('aria-rowcount')) - 1
  await table.focus()
  // Each End asks for what follows the rows that are there.
  for (let pages = 0; pages < 5; pages++) {
    const before = await loaded()
    await page.keyboard.press('End')
    await waitUntil(async () => (await loaded()) > before)
    expect(await rowsOf(page)).toBeLessThan(100)
  }
  const all = await loaded()
  expect(all).toBeGreaterThan(2_000)
  await page.keyboard.press('Home')
  await table.locator('[aria-rowindex="2"][aria-selected="true"]').waitFor()
  await page.keyboard.press('PageDown')
  await waitUntil(
    async () => (await table.getByRole('row', { selected: true }).getAttribute('aria-rowindex')) !== '2',
  )
  expect(await rowsOf(page)).toBeLessThan(100)
  await expectAccessible(page)
})

it('tells at once how many of 200,000 messages are in each state', async () => {
  const { engine, open } = stage()
  await fill(engine.client, 'backlog', 200_000)
  const machine = await open('/?queue=backlog')
  await machine.locator('[data-state="Available"][data-count="200000"]').waitFor()
  await expectAccessible(machine)
  const queues = await open('/queues')
  await queues
    .getByRole('row', { name: /backlog/ })
    .getByTitle('200,000')
    .first()
    .waitFor()
  await expectAccessible(queues)
})
