import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { withConsole } from './harness/withConsole.ts'

const stage = withConsole()

interface Act {
  readonly event: string
  readonly by: { readonly name: string; readonly reason?: string }
}

/** What was done to a queue and why, the first act first, as the record has it. */
const actsOn = async (queue: string): Promise<string[]> => {
  const response = await fetch(`${stage().engine.url}/v1/acts?queue=${queue}`)
  const { acts } = (await response.json()) as { readonly acts: readonly Act[] }
  return acts.map(({ event, by }) => `${event}: ${by.reason ?? ''}`).toReversed()
}

/** Says why, and confirms by the button of the dialog. */
const confirm = async (page: Page, reason: string, action: string | RegExp): Promise<void> => {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

it('a queue is created, set, paused, resumed, purged and deleted, each with its effect spelled out and its reason on record', async () => {
  const { engine, open } = stage()
  const page = await open('/queues')
  const { client } = engine
  const done: string[] = []
  const recorded = async (act: string): Promise<void> => {
    done.push(act)
    await waitUntil(async () => (await actsOn('parcels')).length === done.length, { what: act })
    expect(await actsOn('parcels')).toEqual(done)
  }
  const dialog = page.getByRole('dialog')
  const command = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true })

  await page.getByRole('button', { name: 'Create queue' }).click()
  await expectAccessibleInAllLooks(page)
  await dialog.getByLabel('name', { exact: true }).fill('par cels')
  expect(await dialog.getByRole('button', { name: 'Create queue' }).isDisabled()).toBe(true)
  await dialog.getByLabel('name', { exact: true }).fill('parcels')
  await confirm(page, 'the new shop', 'Create queue')
  await page.getByRole('heading', { level: 1, name: 'parcels' }).waitFor()
  await recorded('QueueCreated: the new shop')

  for (let n = 0; n < 5; n++) await client.send('parcels', { n })
  await command('Change settings').click()
  await dialog.getByLabel('retries', { exact: true }).fill('7')
  await dialog.getByRole('list', { name: 'What changes' }).getByText('7').waitFor()
  await expectAccessibleInAllLooks(page)
  await confirm(page, 'the carrier is slow', 'Save')
  await recorded('QueueConfigured: the carrier is slow')
  expect((await client.queues.describe('parcels')).config.retriesMax).toBe(7)

  await command('Pause').click()
  await dialog.getByText('5 messages wait').waitFor()
  await confirm(page, 'stocktaking', 'Pause')
  await recorded('DeliveryPaused: stocktaking')
  expect(await client.receive('parcels', { waitMs: 0 })).toEqual([])
  await expectAccessibleInAllLooks(page)
  await command('Resume').click()
  await dialog.getByText('5 messages are available').waitFor()
  await confirm(page, 'counted', 'Resume')
  await recorded('DeliveryResumed: counted')

  await command('Purge').click()
  const discard = dialog.getByRole('button', { name: 'Discard 5 messages' })
  expect(await discard.isDisabled()).toBe(true)
  await dialog.getByLabel(/^Type parcels/).fill('parcel')
  expect(await discard.isDisabled()).toBe(true)
  await expectAccessibleInAllLooks(page)
  await dialog.getByLabel(/^Type parcels/).fill('parcels')
  await confirm(page, 'test data', 'Discard 5 messages')
  await recorded('QueuePurged: test data')
  expect((await client.queues.describe('parcels')).counts).toMatchObject({ available: 0, discarded: 5 })

  await command('Delete').click()
  await dialog.getByLabel(/^Type parcels/).fill('parcels')
  await confirm(page, 'the shop is closed', 'Delete parcels')
  await recorded('QueueDeleted: the shop is closed')
  await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor()
  await expect(client.queues.describe('parcels')).rejects.toMatchObject({ id: 'UnknownQueue' })
})

it('the page of a queue in the past shows what was, and changes nothing', async () => {
  const { engine, open } = stage()
  const { client } = engine
  await client.queues.create('letters', { retriesMax: 2 })
  for (let n = 0; n < 3; n++) await client.send('letters', { n })
  await client.queues.update('letters', { retriesMax: 9 })
  await client.queues.purge('letters')
  const act = await waitUntil(async () => {
    const response = await fetch(`${engine.url}/v1/acts?queue=letters`)
    const { acts } = (await response.json()) as {
      readonly acts: readonly (Act & { readonly partition: number; readonly seq: number })[]
    }
    return acts.find(({ event }) => event === 'QueueConfigured')
  })
  const page = await open(`/queues?queue=letters&at=${act.partition}/${act.seq - 1}`)
  const strip = page.locator('dl').first()
  await strip.getByText('3', { exact: true }).waitFor()
  await page.getByRole('main').getByText('retries', { exact: true }).first().waitFor()
  for (const name of ['Pause', 'Change settings', 'Purge', 'Delete'])
    expect(await page.getByRole('button', { name, exact: true }).isDisabled(), name).toBe(true)
  await expectAccessibleInAllLooks(page)
})

it('shows how long messages of the last minute waited for a delivery and were worked on', async () => {
  const { engine, open } = stage()
  const { client, url } = engine
  await client.queues.create('timed')
  await client.sendBatch('timed', [{ body: 'x' }, { body: 'y' }])
  await client.ack((await client.receive('timed', { max: 2 })).map(({ receipt }) => receipt))
  const page = await open('/queues')
  const row = page.getByRole('grid', { name: 'Queues' }).getByRole('row').filter({ hasText: 'timed' })
  await row.getByText(/^\d.* (ms|s) · \d.* (ms|s)$/).waitFor()
  await page.goto(`${url}/queues?queue=timed`)
  for (const figure of ['Wait p50', 'Work p50'])
    await page
      .getByText(figure, { exact: true })
      .locator('xpath=ancestor::div[1]')
      .getByText(/^\d.* (ms|s), p99 \d.* (ms|s)$/)
      .waitFor()
})

it('[ENG-17] shows how full batches were and what they cost, and replays other settings from the record', async () => {
  const { engine, open } = stage()
  const { client } = engine
  await client.queues.create('orders', { batchMessages: 4 })
  for (let n = 0; n < 6; n++) await client.send('orders', { n })
  for (let n = 0; n < 2; n++)
    await client.ack((await client.receive('orders', { max: 4 })).map(({ receipt }) => receipt))
  const page = await open('/queues?queue=orders')
  const cells = async (table: string, row: RegExp): Promise<string[]> => {
    const found = page.getByRole('group', { name: `Table: ${table}` }).getByRole('row', { name: row })
    await found.waitFor()
    return (await found.getByRole('cell').allTextContents()).slice(0, 3)
  }
  expect(await cells('Batches of the last minute', /^main/)).toEqual(['6', '3of 4 asked for', '333.3'])
  await page.getByRole('button', { name: 'Compare settings' }).click()
  const compared = 'Batch settings compared for main'
  expect(await cells(compared, /^As delivered/)).toEqual(['6', '3', '333.3'])
  // Each message came by itself, so that without a wait none is joined by another.
  expect(await cells(compared, /^4, no wait ?set now/)).toEqual(['6', '1', '1000'])
  expect(await cells(compared, /^4, after 5 s/)).toEqual(['6', '3', '333.3'])
  await expectAccessibleInAllLooks(page)
})

it('[ENG-23] warns on the page of a queue of a lease far from the time that attempts take', async () => {
  const { engine, open } = stage()
  const { client } = engine
  await client.queues.create('slow', { leaseMs: 3_600_000, deadLetter: 'slow-dlq' })
  await client.sendBatch(
    'slow',
    Array.from({ length: 100 }, (_, n) => ({ body: n })),
  )
  await client.ack((await client.receive('slow', { max: 100 })).map(({ receipt }) => receipt))
  const page = await open('/queues?queue=slow')
  await page
    .getByText(
      /messages of a crashed consumer come back only when their lease of 1 h expires: set leaseMs to/,
    )
    .waitFor()
})

it('shows the consumers, what they hold, and how many of their receives wait', async () => {
  const { engine, open } = stage()
  const { client } = engine
  await client.queues.create('errands')
  await client.send('errands', 'to be held')
  await client.receive('errands', { waitMs: 10_000, leaseMs: 60_000 })
  const page = await open('/queues?queue=errands')
  const row = page.getByRole('group', { name: 'Table of consumers' }).getByRole('row').nth(1)
  await row.waitFor()
  const cells = await row.getByRole('cell').allInnerTexts()
  expect([await row.getByRole('rowheader').innerText(), cells[0], cells[1]]).toEqual([
    'console specs',
    '1',
    '0',
  ])
  const waiting = client.receive('errands', { waitMs: 20_000 })
  await row.getByRole('cell').nth(1).getByText('1', { exact: true }).waitFor()
  await expectAccessibleInAllLooks(page)
  await client.send('errands', 'to end the wait')
  await waiting
})
