import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { startCities } from './harness/startCities.ts'
import { withConsole } from './harness/withConsole.ts'

const stage = withConsole()

/** What the API answers. */
const get = async <A>(path: string): Promise<A> =>
  (await (await fetch(stage().engine.url + path)).json()) as A

it('dead letters of a running job are found by their cause, counted before they are redriven, and stay moved when the rest is cancelled', async () => {
  const { engine, open } = stage()
  await using job = await startCities(engine)
  const lying = async (): Promise<number> =>
    (await engine.client.queues.describe('cities-dlq')).counts.available
  await waitUntil(async () => (await lying()) === job.wrong, {
    timeoutMs: 60_000,
    what: 'all wrong cities are given up',
  })

  const page = await open('/dlq')
  const main = page.getByRole('main')
  await main.getByRole('row', { name: /^cities-dlq/ }).click()
  await page.waitForURL(/queue=cities-dlq/)
  await main.getByRole('row', { name: new RegExp(`^${job.wrong} admin.* is empty`) }).click()
  await main.getByText('What to do next').waitFor()
  await expectAccessibleInAllLooks(page)

  await main.getByRole('button', { name: 'Redrive this group…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`${job.wrong} messages match.`).waitFor()
  await dialog.getByText(`${job.wrong} go to cities.`).waitFor()
  await dialog.getByLabel('Matching a filter').check()
  await dialog.getByRole('combobox', { name: 'Filter' }).fill('error:"never seen"')
  await dialog.getByRole('combobox', { name: 'Filter' }).press('Enter')
  await dialog.getByText('Nothing matches.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Redrive', exact: true }).isEnabled()).toBe(false)
  await dialog.getByLabel(/^The group/).check()
  await dialog.getByText(`${job.wrong} go to cities.`).waitFor()
  await dialog.getByLabel('Messages per second').fill('5')
  await dialog.getByLabel('Reason').fill('the list was corrected')
  await expectAccessibleInAllLooks(page)
  await dialog.getByRole('button', { name: `Redrive ${job.wrong} messages` }).click()
  await dialog.waitFor({ state: 'detached' })

  const running = main.getByRole('region', { name: /is running/ })
  await running.getByText('the list was corrected').waitFor()
  await page.reload()
  await running.getByText('at most 5 per second').waitFor()
  await running.getByRole('button', { name: 'Cancel the rest…' }).click()
  await dialog.getByText('stay moved').waitFor()
  await dialog.getByLabel('Reason').fill('one was enough')
  await dialog.getByRole('button', { name: 'Cancel the rest' }).click()
  await dialog.waitFor({ state: 'detached' })

  const { redrives } = await get<{
    redrives: { state: string; moved: number; left: number; by: { reason?: string } }[]
  }>('/v1/queues/cities-dlq/redrives')
  const [redrive] = redrives.filter(({ state }) => state === 'cancelled')
  expect(redrive!.by.reason).toBe('the list was corrected')
  expect(redrive!.moved).toBeGreaterThan(0)
  expect(redrive!.moved + redrive!.left).toBe(job.wrong)
  // They fail again, so they come back, and each says that it did.
  await waitUntil(async () => (await lying()) === job.wrong, {
    timeoutMs: 60_000,
    what: 'what was moved came back',
  })
  const { groups } = await get<{ groups: { cameBack: number }[] }>('/v1/queues/cities-dlq/dead-letters')
  expect(groups.reduce((sum, { cameBack }) => sum + cameBack, 0)).toBe(redrive!.moved)

  const { acts } = await get<{ acts: { event: string; by: { reason?: string } }[] }>(
    '/v1/acts?queue=cities-dlq',
  )
  expect(acts.map(({ by }) => by.reason)).toEqual(
    expect.arrayContaining(['the list was corrected', 'one was enough']),
  )
})
