import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { withConsole } from './harness/withConsole.ts'

/** Opens the messages that a filter matches, and waits until the list has this many. */
const openMatches = async (page: Page, url: string, filter: string, count: number): Promise<void> => {
  await page.goto(`${url}/messages?q=${encodeURIComponent(filter)}`)
  await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor()
  // The index follows the record by a little.
  await waitUntil(async () => {
    const head = await page.locator('.page-head').innerText()
    if (head.includes(`\n${count}\n`) || head.split('\n').includes(String(count))) return true
    const refresh = page.getByRole('button', { name: 'Refresh' })
    if (await refresh.isVisible()) await refresh.click()
    return false
  })
}

describe('all that a filter matches', () => {
  const stage = withConsole()

  it('is counted first, discarded but for what is in flight once that is confirmed, with the reason on record', async () => {
    const { engine, open } = stage()
    const { client, url } = engine
    await client.queues.create('payments')
    for (let i = 0; i < 5; i++) await client.send('payments', `payment ${i}`)
    await client.receive('payments', { max: 1, waitMs: 5_000, leaseMs: 600_000 })
    const page = await open('/messages')
    await openMatches(page, url, 'queue:payments', 5)
    await page.getByRole('button', { name: 'Discard…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('5 messages match, 4 can be discarded.').waitFor()
    await dialog.getByText('1 stays: in flight.').waitFor()
    await expectAccessibleInAllLooks(page)
    await dialog.getByText('Only delayed messages').click()
    await dialog.getByText('5 messages match, 0 can be recalled.').waitFor()
    expect(await dialog.getByRole('button', { name: /^Recall/ }).isDisabled()).toBe(true)
    await dialog.getByText('All but those in flight').click()
    await dialog.getByLabel(/^Reason/).fill('a bad deploy')
    expect((await client.queues.describe('payments')).counts.available, 'nothing is done yet').toBe(4)
    await dialog.getByRole('button', { name: 'Discard 4 messages' }).click()
    await dialog.getByText('4 discarded.').waitFor()
    await expectAccessibleInAllLooks(page)
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    expect((await client.queues.describe('payments')).counts).toMatchObject({
      available: 0,
      inflight: 1,
      discarded: 4,
    })
    const acts = await open('/audit')
    await acts.getByRole('gridcell', { name: 'discarded messages' }).first().waitFor()
    await acts.getByText('a bad deploy').first().waitFor()
  })

  it('shows a long filter on several lines, within its dialog', async () => {
    const { engine, open } = stage()
    const { client, url } = engine
    await client.queues.create('parcels')
    await client.send('parcels', 'a parcel')
    const page = await open('/messages', { viewport: { width: 390, height: 844 } })
    const names = ['parcels', ...['a', 'b', 'c'].map((letter) => letter.repeat(80))]
    await openMatches(page, url, `queue:${names.join(',')}`, 1)
    await page.getByRole('button', { name: 'Discard…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 message matches, 1 can be discarded.').waitFor()
    const [inner, outer] = await dialog.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])
    expect(inner).toBe(outer)
  })

  it('says what moved on between the count and the act, and leaves it alone', async () => {
    const { engine, open } = stage()
    const { client, url } = engine
    await client.queues.create('errands')
    for (let i = 0; i < 3; i++) await client.send('errands', `errand ${i}`)
    const page = await open('/messages')
    await openMatches(page, url, 'queue:errands', 3)
    await page.getByRole('button', { name: 'Discard…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('3 messages match, 3 can be discarded.').waitFor()
    await client.receive('errands', { max: 1, waitMs: 5_000, leaseMs: 600_000 })
    await dialog.getByRole('button', { name: 'Discard 3 messages' }).click()
    await dialog.getByText('2 discarded.').waitFor()
    await dialog.getByText(/^1 stays: (in flight|changed since found)\.$/).waitFor()
    expect((await client.queues.describe('errands')).counts).toMatchObject({ inflight: 1, discarded: 2 })
  })

  it('is offered for a filter only, and payloads are shown next to the matches on request', async () => {
    const { engine, open } = stage()
    const { client, url } = engine
    await client.queues.create('letters')
    await client.queues.create('secrets', { bodyHidden: 'on' })
    await client.send('letters', { to: 'anna' })
    await client.send('secrets', { card: '4111' })
    const page = await open('/messages')
    await page.getByRole('button', { name: 'Show payloads' }).waitFor()
    expect(await page.getByRole('button', { name: 'Discard…' }).count()).toBe(0)
    await openMatches(page, url, 'queue:letters,secrets', 2)
    await page.getByRole('button', { name: 'Show payloads' }).click()
    const list = page.getByRole('grid', { name: 'Messages' })
    await list.getByText('{"to":"anna"}').waitFor()
    await list.getByText('hidden', { exact: true }).waitFor()
    expect(await list.getByText('4111').count()).toBe(0)
    await expectAccessibleInAllLooks(page)
  })
})
