import type { History } from '@kiroku/audit'
import { waitUntil } from '@kiroku/testkit'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { withConsole } from './harness/withConsole.ts'

const stage = withConsole()

const get = async <A>(path: string): Promise<A> =>
  (await (await fetch(stage().engine.url + path)).json()) as A

const sum = ({ buckets }: History, field: 'sent' | 'failed'): number =>
  buckets.reduce((n, bucket) => n + (bucket[field] ?? 0), 0)

/** A queue that 40 messages were sent to, of which 4 failed; resolves once the auditor has read that. */
const withHistory = async (queue: string): Promise<void> => {
  const { client } = stage().engine
  await client.queues.create(queue, { deadLetter: `${queue}-dlq`, retriesMax: 0 })
  for (let n = 0; n < 40; n++) await client.send(queue, { n })
  for (let n = 0; n < 20; n++) {
    const [message] = await client.receive(queue)
    if (n < 4) await message!.deadLetter('of no use')
    else await message!.ack()
  }
  await waitUntil(async () => {
    const history = await get<History>(`/v1/history?queue=${queue}&from=5m`)
    return 'buckets' in history && sum(history, 'sent') === 40 && sum(history, 'failed') === 4
  })
}

/** What the legend of a chart says as a pointer goes over it from one end to the other. */
const told = async (page: Page, chart: Locator, word: string): Promise<Set<string>> => {
  const { x, y, width, height } = (await chart.locator('canvas').boundingBox())!
  const texts = new Set<string>()
  for (let share = 0.05; share < 1; share += 0.005) {
    await page.mouse.move(x + width * share, y + height / 2)
    const legend = await chart.locator('xpath=..').locator('figcaption').textContent()
    texts.add(new RegExp(`${word} ([\\d.,]+)/s`).exec(legend!)?.[1] ?? '')
  }
  return texts
}

it('shows on the charts of a queue what happened before they were opened, over seconds and hours', async () => {
  await withHistory('charted')
  const page = await stage().open('/queues?queue=charted')
  const chart = page.getByRole('img', { name: /^Messages per second/ })
  await chart.waitFor()
  await waitUntil(async () => [...(await told(page, chart, 'Sent'))].some((text) => Number(text) > 0))
  await page.getByRole('button', { name: '15 min' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The last 15 minutes' }).waitFor()
  expect(new URL(page.url()).searchParams.get('range')).toBe('15m')
  await waitUntil(async () => [...(await told(page, chart, 'Sent'))].some((text) => Number(text) > 0))
  await expectAccessibleInAllLooks(page)
  const again = await stage().open('/queues?queue=charted&range=24h')
  await again.getByRole('heading', { name: 'The last 24 hours' }).waitFor()
  await again.getByRole('img', { name: /^Backlog, now: Waiting 20/ }).waitFor()
})

it('fills small charts from the record when they open', async () => {
  await withHistory('small')
  /** How many of the last seconds a small chart covers, and whether anything happened in them. */
  const drawn = async (page: Page, name: string): Promise<readonly [seconds: number, isFlat: boolean]> => {
    const points = await page.getByRole('img', { name }).first().locator('polyline').getAttribute('points')
    const heights = (points ?? '')
      .split(' ')
      .filter(Boolean)
      .map((point) => point.split(',')[1])
    return [heights.length, new Set(heights).size === 1]
  }
  for (const [path, name, seconds] of [
    ['/queues?name=small', 'Messages sent in the last minute', 60],
    ['/', 'Sent in the last 90 s', 90],
  ] as const) {
    const page = await stage().open(path)
    const openedAt = Date.now()
    await waitUntil(async () => {
      const [length, isFlat] = await drawn(page, name)
      return length >= seconds - 5 && !isFlat
    })
    expect(Date.now() - openedAt, 'it knows more than it can have seen').toBeLessThan((seconds - 10) * 1_000)
  }
})

it('draws what happened under the slider from the start: bars, failures, acts and times', async () => {
  await withHistory('railed')
  const page = await stage().open('/queues?queue=railed')
  const rail = page.getByRole('region', { name: 'Time' })
  await rail
    .getByRole('img', { name: /^How much happened: [\d,]+ changes of messages, 4 failed attempts$/ })
    .waitFor()
  await waitUntil(async () => (await rail.locator('[data-act=QueueCreated]').count()) === 1)
  await rail.getByLabel('Range').selectOption('1m')
  const slider = rail.getByRole('slider', { name: 'Moment' })
  const mark = (await rail.locator('[data-act=QueueCreated]').boundingBox())!
  await page.mouse.move(mark.x + mark.width / 2, mark.y - 10)
  await rail.getByText('created the queue railed').waitFor()
  await expectAccessibleInAllLooks(page)
  await page.mouse.move(0, 0)
  await slider.focus()
  for (let n = 0; n < 3; n++) await page.keyboard.press('PageDown')
  await page.getByRole('button', { name: 'Past' }).waitFor()
  // What a pointer sees, the keys tell too.
  await waitUntil(async () =>
    / (?:sent|done|failed|nothing happened)/.test((await slider.getAttribute('aria-valuetext'))!),
  )
  await page.keyboard.press('End')
  await page.getByRole('button', { name: 'Streaming', exact: true }).waitFor()
})

it('opens time travel with what changed lately in all queues, each leading to a comparison', async () => {
  const { client } = stage().engine
  await withHistory('lately')
  const page = await stage().open('/time')
  await page.getByRole('heading', { name: 'What changed in the last 5 minutes' }).waitFor()
  const table = page.getByRole('grid', { name: 'What changed by queue' })
  const row = table.getByRole('row').filter({ hasText: /^lately(?!-)/ })
  await row.getByText('40', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Administrative acts' }).waitFor()
  await expectAccessibleInAllLooks(page)
  await row.click()
  await page.getByRole('heading', { name: 'Compare two moments of lately' }).waitFor()
  const url = new URL(page.url())
  expect(url.searchParams.get('queue')).toBe('lately')
  const sent = page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: 'Sent', exact: true }) })
  await sent.getByText('+40', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'New since A: 20' }).waitFor()
  await expectAccessibleInAllLooks(page)
  await page.getByRole('combobox', { name: 'Queue', exact: true }).selectOption('')
  await page.getByRole('heading', { name: /^What changed/ }).waitFor()

  await client.queues.create('calm')
  const { acts } = await waitUntil(async () => {
    const found = await get<{ acts: readonly { at: number }[] }>('/v1/acts?queue=calm')
    return found.acts.length > 0 && found
  })
  await withHistory('later')
  const [a, b] = [acts[0]!.at + 1, acts[0]!.at + 2].map((at) => new Date(at).toISOString())
  const calm = await stage().open(`/time?queue=calm&a=${a}&b=${b}`)
  await calm.getByText('Nothing changed between A and B').waitFor()
  await expectAccessibleInAllLooks(calm)
})

it(
  'plays what has arrived at 100 times the speed, says when it reads ahead, and asks for nothing else meanwhile',
  { timeout: 180_000 },
  async () => {
    const { engine, open } = stage()
    const { client } = engine
    await client.queues.create('fast', { retriesMax: 100 })
    const bodies = Array.from({ length: 500 }, (_, n) => ({ body: { n } }))
    for (let n = 0; n < 4; n++) await client.sendBatch('fast', bodies)
    // More than a recording holds: what moves one by one is the work of a replay.
    let [moved, left] = [0, 2_000]
    const work = async (): Promise<void> => {
      while (left > 0) {
        const messages = await client.receive('fast', { max: 100 })
        const receipts = messages.map(({ receipt }) => receipt)
        moved += receipts.length
        if (moved < 40_000) await client.retry(receipts)
        else {
          await client.ack(receipts)
          left -= receipts.length
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, work))
    const { from, to } = await get<{ from: { at: number }; to: { at: number } }>('/v1/span?queue=fast')
    expect(to.at).toBeGreaterThan(from.at)
    const page = await open('/?queue=fast')
    const held: (() => void)[] = []
    let isHolding = true
    await page.context().route(/\/recording\?/, async (route) => {
      const isFirst = new URL(route.request().url()).searchParams.has('state')
      if (!isFirst && isHolding) await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    const rail = page.getByRole('region', { name: 'Time' })
    await rail.getByRole('slider', { name: 'Moment' }).focus()
    await page.keyboard.press('Home')
    await rail.locator('[data-stands-at]').waitFor()
    await rail.getByLabel('Speed').selectOption('100')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await rail.getByRole('button', { name: 'Play', exact: true }).click()
    await rail.getByText('reading ahead…').waitFor()
    await waitUntil(() => held.length > 0)
    const standsAt = async (): Promise<number> =>
      Number(await rail.locator('output').getAttribute('data-stands-at'))
    // What has arrived is shown, though more is on its way.
    expect(await standsAt()).toBeGreaterThan(from.at)
    expect(asked.filter((path) => path === '/v1/state')).toEqual([])
    isHolding = false
    for (const go of held) go()
    await rail.getByRole('button', { name: 'Play', exact: true }).waitFor({ timeout: 60_000 })
    await waitUntil(
      async () => (await page.locator('[data-state=Committed]').getAttribute('data-count')) === '2000',
    )
    expect(await standsAt()).toBeGreaterThanOrEqual(to.at)
  },
)
