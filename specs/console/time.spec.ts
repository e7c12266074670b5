import type { Trace } from '@kiroku/audit'
import type { Client } from '@kiroku/client'
import { waitUntil } from '@kiroku/testkit'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { populationAt } from './harness/populationAt.ts'
import { expectAccessible, withConsole } from './harness/withConsole.ts'

const stage = withConsole()

/** A queue with a past of some dozens of records. */
const withPast = async (client: Client, queue: string): Promise<number> => {
  await client.queues.create(queue, { deadLetter: `${queue}-dlq`, retriesMax: 0 })
  for (let i = 0; i < 20; i++) await client.send(queue, { i })
  for (let i = 0; i < 10; i++) {
    const [message] = await client.receive(queue)
    if (i % 3 === 0) await message!.deadLetter('of no use')
    else await message!.ack()
  }
  return (await client.queues.describe(queue)).partition
}

/** The counts of the machine as they stand, and the records that they contain. */
const shown = (page: Page): Promise<{ counts: Record<string, number>; seqs: number[] }> =>
  page.evaluate(`(() => {
    const counts = {}
    for (const node of document.querySelectorAll('[data-state][data-count]'))
      if (node.dataset.state !== 'Ready') counts[node.dataset.state] = Number(node.dataset.count)
    const position = document.querySelector('[data-position]').dataset.position
    return { counts, seqs: position.split('.').map(Number) }
  })()`)

/** The counts on the machine at a record, as soon as they are that record's. */
const shownAt = async (page: Page, home: number, seq: number): Promise<Record<string, number>> => {
  await page.locator(`[data-seq="${seq}"]`).waitFor()
  return (
    await waitUntil(async () => {
      const now = await shown(page)
      return now.seqs[home] === seq && now
    })
  ).counts
}

it('steps through the past record by record, with the counts of each', async () => {
  const { engine, open } = stage()
  const home = await withPast(engine.client, 'steps')
  const page = await open(`/?queue=steps&at=${home}/30`)
  const only = (seq: number): number[] => Array.from({ length: home + 1 }, (_, i) => (i === home ? seq : 0))
  expect(await shownAt(page, home, 30)).toEqual(await populationAt(engine.nats, only(30)))
  await expectAccessible(page)
  for (const [key, seq] of [
    [']', 31],
    [']', 32],
    ['[', 31],
    ['[', 30],
    ['[', 29],
  ] as const) {
    await page.keyboard.press(key)
    expect(await shownAt(page, home, seq), `record ${seq}`).toEqual(
      await populationAt(engine.nats, only(seq)),
    )
  }
  await waitUntil(() => new URL(page.url()).searchParams.get('at') === `${home}/29`)
  const again = await open(new URL(page.url()).pathname + new URL(page.url()).search)
  expect(await shownAt(again, home, 29)).toEqual(await populationAt(engine.nats, only(29)))
  await page.keyboard.press('n')
  await page.getByRole('button', { name: 'Streaming', exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.has('at')).toBe(false)
})

it('goes through time by the keys of a slider, plays on and pauses', async () => {
  const { engine, open } = stage()
  await withPast(engine.client, 'played')
  const page = await open('/?queue=played')
  const slider = page.getByRole('slider', { name: 'Moment' })
  await slider.waitFor()
  const value = async (name = 'now'): Promise<number> =>
    Number(await slider.getAttribute(`aria-value${name}`))
  await slider.focus()
  await page.keyboard.press('Home')
  await page.getByRole('button', { name: 'Past' }).waitFor()
  await waitUntil(async () => (await value()) === (await value('min')))
  await expectAccessible(page)
  await page.keyboard.press('PageUp')
  await waitUntil(async () => (await value()) > (await value('min')))
  const later = await value()
  await page.keyboard.press('ArrowRight')
  await waitUntil(async () => (await value()) > later)
  await page.keyboard.press('PageDown')
  await waitUntil(async () => (await value()) < later)
  await page.keyboard.press('Home')
  await waitUntil(async () => (await value()) === (await value('min')))
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  const start = await value('min')
  await waitUntil(async () => (await value()) > start)
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  await slider.focus()
  await page.keyboard.press('End')
  await page.getByRole('button', { name: 'Streaming', exact: true }).waitFor()
})

it('compares two moments of a queue', async () => {
  const { engine, open } = stage()
  await withPast(engine.client, 'compared')
  const page = await open('/time?queue=compared')
  await page.getByRole('button', { name: 'Start A at first record' }).click()
  const earlier = page.getByRole('slider', { name: 'A, earlier' })
  const later = page.getByRole('slider', { name: 'B, later' })
  await later.focus()
  await page.keyboard.press('End')
  await page.getByRole('heading', { name: /New since A/ }).waitFor()
  await page.getByRole('grid').first().waitFor()
  await expectAccessible(page)
  expect(Number(await earlier.getAttribute('aria-valuenow'))).toBeLessThan(
    Number(await later.getAttribute('aria-valuenow')),
  )
  const url = new URL(page.url())
  const again = await open(url.pathname + url.search)
  await again.getByRole('heading', { name: /New since A/ }).waitFor()
})

it('offers no command that would change the past', async () => {
  const { engine, open } = stage()
  await withPast(engine.client, 'fixed')
  const { messageId } = await engine.client.send('fixed', 'now', { delayMs: 3_600_000 })
  const page = await open(`/messages/${messageId}`)
  const commands = page.getByRole('region', { name: 'What you can do' })
  await commands.waitFor()
  expect(await commands.locator('button:enabled').count()).toBeGreaterThan(0)
  const trace = (await (await fetch(`${engine.url}/v1/messages/${messageId}/trace`)).json()) as Trace
  const { partition, seq } = trace.steps[0]!
  const past = await open(`/messages/${messageId}?at=${partition}/${seq}`)
  await past.getByRole('region', { name: 'What you can do' }).waitFor()
  expect(await past.getByRole('region', { name: 'What you can do' }).locator('button:enabled').count()).toBe(
    0,
  )
  await expectAccessible(past)
  const before = await open(`/messages/${messageId}?at=${partition}/${seq - 1}`)
  await before.getByText('At that moment it had not been sent yet.').waitFor()
  expect(await before.getByRole('region', { name: 'What you can do' }).count()).toBe(0)
  await expectAccessible(before)
})

it('finds messages by how they stood then, and says what of a filter the past does not tell', async () => {
  const { engine, open } = stage()
  await withPast(engine.client, 'asked')
  const at = encodeURIComponent(new Date().toISOString())
  const page = await open(`/messages?queue=asked&at=${at}&q=${encodeURIComponent('number:>15 attempt:0')}`)
  await page.getByText('5 of 5').waitFor()
  const filter = page.getByRole('combobox', { name: 'Filter' })
  await filter.fill('error:"of no use"')
  await page.getByText('"error" is not known of a moment in the past').waitFor()
  await expectAccessible(page)
  const other = await open(`/messages?queue=asked&at=${at}&q=${encodeURIComponent('error:use number:>18')}`)
  await other.getByText('The past cannot answer this').waitFor()
  await expectAccessible(other)
  await other.getByRole('button', { name: 'Drop those conditions' }).click()
  await other.getByText('2 of 2').waitFor()
})

it('shows what had happened to a dead letter by then', async () => {
  const { engine, open } = stage()
  await withPast(engine.client, 'told')
  const get = async <A>(path: string): Promise<A> => (await (await fetch(engine.url + path)).json()) as A
  const { at, group } = await waitUntil(async () => {
    type Span = { home: number; partitions: { partition: number; lastSeq: number }[] }
    const { home, partitions } = await get<Span>('/v1/span?queue=told-dlq')
    const last = `${home}/${partitions.find(({ partition }) => partition === home)!.lastSeq}`
    type Letters = { groups: { group: string; count: number }[] }
    const [found] = (await get<Letters>(`/v1/queues/told-dlq/dead-letters?at=${last}`)).groups
    return found?.count === 4 && { at: last, group: found.group }
  })
  await engine.client.queues.redrive('told-dlq')
  await waitUntil(async () => (await engine.client.queues.describe('told-dlq')).counts.available === 0)
  const page = await open(`/dlq?queue=told-dlq&group=${group}&at=${at}`)
  const story = page.getByRole('heading', { name: /^What happened to/ }).locator('..')
  await story.getByText('It arrived in told-dlq.').waitFor()
  expect(await story.textContent()).not.toContain('redriven')
  await expectAccessible(page)
})

it('leads back to now from a moment that there is not', async () => {
  const page = await stage().open('/cluster?at=nonsense')
  await page.getByRole('alert').getByText('is not a moment').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Now', exact: true }).click()
  await page.getByRole('button', { name: 'Streaming', exact: true }).waitFor()
  await page.getByRole('list', { name: 'Partitions' }).waitFor()
})
