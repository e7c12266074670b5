import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { withConsole } from './harness/withConsole.ts'

const stage = withConsole()

/** A number of the machine's head, by its name. */
const figure = (page: Page, name: string) =>
  page.getByRole('main').locator('dl > div').filter({ hasText: name }).first()

const sayingOf = async (page: Page, name: string): Promise<string> =>
  (await figure(page, name).locator('dd').first().textContent()) ?? ''

it('dead letters are those that lie there now: apart from what is available, headed as such, and gone once they are redriven', async () => {
  const { engine, open } = stage()
  const { client } = engine
  await client.queues.create('mail', { deadLetter: 'mail-dlq' })
  const { messageId } = await client.send('mail', 'no address')
  const [received] = await client.receive('mail', { max: 1, waitMs: 10_000 })
  await client.deadLetter([received!.receipt], 'no @ in the address')
  await waitUntil(async () => (await client.queues.describe('mail-dlq')).counts.available === 1)
  await client.send('mail', 'to wait')

  const page = await open('/')
  await waitUntil(async () => (await sayingOf(page, 'Dead letters')) === '11 today')
  expect(await figure(page, 'Dead letters').getAttribute('data-danger')).toBe('true')
  expect(await figure(page, 'Dead letters').getAttribute('title')).toContain('Messages in mail-dlq now')
  await page.getByRole('button', { name: 'Available, 1 message, and 1 dead letter' }).waitFor()
  await waitUntil(async () => (await sayingOf(page, 'Active messages')) === '1')

  const list = await open('/queues')
  await list.getByText('1 queue · 1 waiting').waitFor()
  await list.getByText('1 dead letter').waitFor()
  const names = await list.getByRole('gridcell').evaluateAll((cells) => cells.map((cell) => cell.textContent))
  expect(names.filter((name) => /mail/.test(name)).map((name) => name.trim())).toEqual(['mail', 'mail-dlq'])

  const message = await open(`/messages/${messageId}`)
  const head = message.locator('.page-head')
  await head.getByText('Dead letter', { exact: true }).waitFor()
  await head.getByText('available in mail-dlq').waitFor()

  await client.queues.redrive('mail-dlq')
  await waitUntil(async () => (await client.queues.describe('mail')).counts.available === 2)
  await waitUntil(async () => (await sayingOf(page, 'Dead letters')).startsWith('0'))
  expect(await figure(page, 'Dead letters').getAttribute('data-danger')).toBe('false')
})

it('every number says on hover what it means', async () => {
  const page = await stage().open('/queues?queue=mail')
  const numbers = page.getByRole('main').locator('dl > div')
  await numbers.filter({ hasText: 'Waiting' }).first().waitFor()
  const silent = await numbers.evaluateAll((all) =>
    all
      .filter((each) => each.closest('[title]') === null && each.querySelector('[title]') === null)
      .map((each) => each.textContent),
  )
  expect(silent).toEqual([])
})

it('a state has one name wherever it is counted', async () => {
  const page = await stage().open('/queues?queue=mail')
  const table = page.getByRole('group', { name: 'Table of subscriptions' })
  await table.waitFor()
  const heads = await table.getByRole('columnheader').allInnerTexts()
  expect(heads.map((head) => head.trim())).toEqual(
    expect.arrayContaining(['Available', 'In flight', 'Waiting retry', 'Done', 'Dead letter', 'Discarded']),
  )
  const strip = await page.locator('dl').nth(1).locator('dt').allInnerTexts()
  expect(strip.map((name) => name.trim())).toEqual([
    'Available',
    'In flight',
    'Waiting retry',
    'Delayed',
    'Done',
    'Discarded',
  ])
  expect(await page.getByRole('main').getByText('Committed', { exact: true }).count()).toBe(0)
})
