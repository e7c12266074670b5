import { readFile } from 'node:fs/promises'
import type { ReceivedMessage } from '@kiroku/client'
import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { expectAccessible, withConsole } from './harness/withConsole.ts'

const stage = withConsole()

/** The next message of a queue, under a lease. */
const receiveOne = async (queue: string): Promise<ReceivedMessage> =>
  waitUntil(async () => (await stage().engine.client.receive(queue, { waitMs: 1_000 }))[0])

/** Opens the page of a message and waits for its body. */
const openMessage = async (id: string): Promise<Page> => {
  const page = await stage().open(`/messages/${id}`)
  await page.getByRole('heading', { level: 2, name: 'Payload' }).waitFor()
  return page
}

/** Opens a dialog by its button; gives it. */
const begin = async (page: Page, name: string) => {
  await page.getByRole('button', { name, exact: true }).click()
  return page.getByRole('dialog')
}

/** Says why, and confirms by the button of the dialog. */
const confirm = async (page: Page, reason: string, action: string): Promise<void> => {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Waits until the last event on the page is this one. */
const told = (page: Page, event: string): Promise<void> =>
  page.getByRole('heading', { level: 2, name: new RegExp(`^\\d+\\. ${event}$`) }).waitFor()

/** What was done to a queue and why, the first act first, as the record has it. */
const actsOn = async (queue: string): Promise<string[]> => {
  const response = await fetch(`${stage().engine.url}/v1/acts?queue=${queue}`)
  const { acts } = (await response.json()) as { acts: { event: string; by: { reason?: string } }[] }
  return acts.map(({ event, by }) => `${event}: ${by.reason ?? ''}`).toReversed()
}

it('a dead letter is mended and sent back from its page, with what changes shown first and each reason on record', async () => {
  const { client } = stage().engine
  await client.queues.create('invoices', { deadLetter: 'invoices-dlq', retriesMax: 0 })
  const { messageId } = await client.send('invoices', { cents: 9_007_199_254_740_991, vat: 'nine' })
  await (await receiveOne('invoices')).retry({ error: 'vat is no number' })
  await waitUntil(async () => (await client.queues.describe('invoices-dlq')).counts.available === 1)

  const page = await openMessage(messageId)
  for (const name of ['Recall…', 'Reschedule…'])
    expect(await page.getByRole('button', { name }).isDisabled(), name).toBe(true)
  const editing = await begin(page, 'Edit…')
  const give = editing.getByRole('button', { name: 'Replace the body' })
  expect(await give.isDisabled(), 'nothing is changed yet').toBe(true)
  const text = editing.getByLabel('Body')
  await text.fill('{"cents":9007199254740993,"vat":')
  await editing.getByText('No longer JSON').waitFor()
  await text.fill('{"cents":9007199254740993,"vat":9}')
  const changes = editing.getByLabel('What changes')
  await changes.getByText('"vat":"nine"').waitFor()
  await changes.getByText('"vat":9}').waitFor()
  await expectAccessible(page)
  await confirm(page, 'the clerk told us', 'Replace the body')
  await told(page, 'BodyEdited')
  await page.getByRole('tree', { name: 'Payload' }).getByText('9007199254740993').waitFor()

  const redriving = await begin(page, 'Redrive…')
  await redriving.getByText('1 message moves from invoices-dlq back to invoices').waitFor()
  await confirm(page, 'its body is mended', 'Redrive 1 message')
  const mended = await receiveOne('invoices')
  expect([mended.id, mended.text()]).toEqual([messageId, '{"cents":9007199254740993,"vat":9}'])
  await mended.ack()
  await told(page, 'Acked')
  for (const name of ['Redrive…', 'Edit…'])
    expect(await page.getByRole('button', { name, exact: true }).isDisabled(), name).toBe(true)
  await waitUntil(async () => (await actsOn('invoices-dlq')).length > 2)
  expect(await actsOn('invoices-dlq')).toEqual(
    expect.arrayContaining(['BodyEdited: the clerk told us', 'RedriveStarted: its body is mended']),
  )
})

it('a message that is not due is rescheduled and recalled from its page, and one that is due is not', async () => {
  const { client } = stage().engine
  await client.queues.create('reminders')
  const send = async (delayMs: number): Promise<string> =>
    (await client.send('reminders', 'call back', { delayMs })).messageId
  const page = await openMessage(await send(3_600_000))
  const rescheduling = await begin(page, 'Reschedule…')
  const seconds = rescheduling.getByLabel(/^It becomes available in/)
  const action = rescheduling.getByRole('button', { name: 'Reschedule 1 message' })
  await seconds.fill('')
  expect(await action.isDisabled(), 'no time is given').toBe(true)
  await seconds.fill('-1')
  expect(await action.isDisabled(), 'a past time').toBe(true)
  await seconds.fill('0')
  await expectAccessibleInAllLooks(page)
  await confirm(page, 'they wait', 'Reschedule 1 message')
  const due = await receiveOne('reminders')
  expect(due.text()).toBe('call back')
  await told(page, 'Delivered')
  for (const name of ['Recall…', 'Reschedule…'])
    expect(await page.getByRole('button', { name }).isDisabled(), name).toBe(true)
  await due.ack()

  const other = await openMessage(await send(3_600_000))
  const recalling = await begin(other, 'Recall…')
  await recalling.getByText('1 message of reminders is discarded').waitFor()
  await confirm(other, 'it is settled', 'Discard 1 message')
  await told(other, 'Recalled')
  expect((await client.queues.describe('reminders')).counts).toMatchObject({ delayed: 0, discarded: 1 })
})

it('says why a command was refused, where the message moved on meanwhile', async () => {
  const { client } = stage().engine
  await client.queues.create('alarms')
  const { messageId } = await client.send('alarms', 'wake up', { delayMs: 3_600_000 })
  const page = await openMessage(messageId)
  const dialog = await begin(page, 'Recall…')
  await client.recall(messageId)
  await dialog.getByRole('button', { name: 'Discard 1 message' }).click()
  await dialog.getByRole('alert').waitFor()
  await expectAccessible(page)
})

it('a trace that was exported is dropped on another page and told without the engine, and what is no trace is refused', async () => {
  const { engine, open } = stage()
  await engine.client.queues.create('parcels')
  const { messageId } = await engine.client.send('parcels', 'fragile')
  await (await receiveOne('parcels')).ack()
  const page = await openMessage(messageId)
  await told(page, 'Acked')
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const exported = await readFile(await (await saving).path(), 'utf8')

  const elsewhere = await open('/messages/00000000-0-1-1')
  await elsewhere.getByText('can also be dropped here').waitFor()
  const drop = async (text: string): Promise<void> => {
    const files = await elsewhere.evaluateHandle(`(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([${JSON.stringify(text)}], 'trace.ndjson'))
      return transfer
    })()`)
    await elsewhere.locator('.page').dispatchEvent('drop', { dataTransfer: files })
  }
  await drop('hello')
  await elsewhere.getByText(/line 1 of the trace is not JSON/).waitFor()
  await drop(exported.replace(messageId, "<img src=x onerror='globalThis.hasRun = 1'>"))
  await elsewhere.getByText('none of it was sent to the engine').waitFor()
  expect(await elsewhere.evaluate('globalThis.hasRun')).toBeUndefined()
  await elsewhere.getByRole('button', { name: 'Back to the log' }).click()
  await drop(exported)
  await elsewhere.getByRole('heading', { level: 1, name: messageId }).waitFor()
  await told(elsewhere, 'Acked')
  expect(
    await elsewhere.getByRole('region', { name: 'What you can do' }).locator('button:enabled').count(),
  ).toBe(0)
  await expectAccessible(elsewhere)
})
