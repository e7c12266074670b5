import type { Client } from '@kiroku/client'
import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectAccessible, withConsole } from './harness/withConsole.ts'

const stage = withConsole()

/** How long a page may take while the engine digests what it was filled with, in ms. */
const busyMs = 90_000

const openBusy = async (path: string): Promise<Page> => {
  const page = await stage().open(path)
  page.setDefaultTimeout(busyMs)
  return page
}

const batchSize = 1_000

/** As long as a list may become with `KIROKU_FULL=1`; else as long as a small runner has time for. */
const listed = process.env['KIROKU_FULL'] === '1' ? 100_000 : 20_000

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

/** How many rows a table has, drawn or not. */
const lengthOf = async (page: Page, name: string): Promise<number> =>
  Number(await page.getByRole('grid', { name }).getAttribute('aria-rowcount')) - 1

it(
  'draws few of tens of thousands of rows, and loads others as one comes near their end',
  { timeout: 300_000 },
  async () => {
    const { engine } = stage()
    await fill(engine.client, 'long', listed + batchSize)
    const page = await openBusy('/messages?queue=long')
    const table = page.getByRole('grid', { name: 'Messages' })
    await page.getByRole('heading', { level: 1 }).waitFor()
    // The index follows the record by a little.
    await waitUntil(
      async () => {
        await page.keyboard.press('r')
        await page.getByRole('button', { name: 'Refresh' }).waitFor()
        return table.isVisible()
      },
      { timeoutMs: busyMs },
    )
    await table.focus()
    // Each End loads what follows the loaded rows.
    for (let loaded = await lengthOf(page, 'Messages'); loaded < listed;) {
      await page.keyboard.press('End')
      const before = loaded
      loaded = await waitUntil(
        async () => {
          const now = await lengthOf(page, 'Messages')
          return now > before && now
        },
        { timeoutMs: busyMs },
      )
    }
    await page.keyboard.press('End')
    await table.locator(`[aria-rowindex="${listed + 1}"][aria-selected="true"]`).waitFor()
    expect(await rowsOf(page)).toBeLessThan(100)
    await page.keyboard.press('Home')
    await table.locator('[aria-rowindex="2"][aria-selected="true"]').waitFor()
    await page.keyboard.press('PageDown')
    await waitUntil(
      async () => (await table.getByRole('row', { selected: true }).getAttribute('aria-rowindex')) !== '2',
    )
    expect(await rowsOf(page)).toBeLessThan(100)
    await expectAccessible(page)
  },
)

it(
  'shows how many of a million messages are in each state, lists them, and goes back to a moment before their end',
  { timeout: 240_000 },
  async () => {
    const { engine } = stage()
    await fill(engine.client, 'backlog', 1_000_000)
    const machine = await openBusy('/?queue=backlog')
    // The auditor, of which the feed is, follows the record by a little.
    await machine.locator('[data-state="Available"][data-count="1000000"]').waitFor()
    await expectAccessible(machine)
    const queues = await openBusy('/queues')
    await queues
      .getByRole('row', { name: /backlog/ })
      .getByTitle('1,000,000')
      .first()
      .waitFor()
    await expectAccessible(queues)
    const messages = await openBusy('/messages?queue=backlog')
    await waitUntil(async () => (await lengthOf(messages, 'Messages')) === 500, { timeoutMs: busyMs })

    const { partition } = await engine.client.queues.describe('backlog')
    const { lastSeq } = (await engine.client.partitions()).find((each) => each.partition === partition)!
    const past = await openBusy(`/?queue=backlog&at=${partition}/${lastSeq - 100}`)
    await past.locator(`[data-seq="${lastSeq - 100}"]`).waitFor()
    const then = past.locator('[data-state="Available"][data-count]').first()
    await waitUntil(async () => Number(await then.getAttribute('data-count')) > 500_000, {
      timeoutMs: busyMs,
    })
    expect(Number(await then.getAttribute('data-count'))).toBeLessThan(1_000_000)
  },
)

it('finds its way among ten thousand queues', { timeout: 240_000 }, async () => {
  const { engine } = stage()
  const { client } = engine
  const tenants = 10_000
  let next = 0
  const make = async (): Promise<void> => {
    while (next < tenants) {
      const queue = `tenant-${next++}`
      await client.queues.create(queue)
      await client.send(queue, 'x')
    }
  }
  await Promise.all(Array.from({ length: 200 }, make))

  const page = await openBusy('/queues')
  const table = page.getByRole('grid', { name: 'Queues' })
  await waitUntil(async () => (await lengthOf(page, 'Queues')) >= tenants, { timeoutMs: busyMs })
  expect(await rowsOf(page)).toBeLessThan(100)
  await table.focus()
  await page.keyboard.press('End')
  await table.getByText(`tenant-${tenants - 1}`, { exact: true }).waitFor()
  expect(await rowsOf(page)).toBeLessThan(100)
  await page.getByLabel('Filter queues by name').fill('tenant-4242')
  await page.getByText('1 queue · 1 waiting').waitFor()
  await client.send('tenant-4242', 'another')
  await page.getByText('1 queue · 2 waiting').waitFor()
  await expectAccessible(page)

  const machine = await openBusy('/')
  await machine.getByRole('button', { name: /^Available, / }).click()
  const panel = machine.getByRole('complementary', { name: 'Available' })
  await panel.getByRole('heading', { name: /^Most in 8 of 10,00\d queues/ }).waitFor()
  await machine.keyboard.press('Control+k')
  const bar = machine.getByRole('combobox', { name: 'Page, queue, message id or filter' })
  await bar.fill('tenant-4242')
  await machine.getByRole('option', { name: /^tenant-4242/ }).waitFor()
  expect(await machine.getByRole('option').count()).toBeLessThan(20)
  await machine.keyboard.press('Enter')
  await machine.waitForURL(/queue=tenant-4242/)
  await machine.locator('[data-state="Available"][data-count="2"]').first().waitFor()
  await expectAccessible(machine)
})
