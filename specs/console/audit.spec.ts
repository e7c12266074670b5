import { readFile } from 'node:fs/promises'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { withConsole } from './harness/withConsole.ts'

const stage = withConsole()

interface Act {
  readonly event: string
  readonly queue: string
  readonly partition: number
  readonly seq: number
}

it('acts are filtered in the URL, told in full with before and after, saved, and lead to the moment just before them', async () => {
  const { engine, open } = stage()
  const { client, url } = engine
  for (const queue of ['bills', 'tickets']) await client.queues.create(queue, { retriesMax: 2 })
  await client.queues.update('bills', { retriesMax: 8 })
  await client.queues.pause('tickets')
  const acts = await waitUntil(async () => {
    const found = ((await (await fetch(`${url}/v1/acts`)).json()) as { readonly acts: readonly Act[] }).acts
    // Beside those of the new log itself.
    return found.filter(({ queue }) => queue !== '').length === 4 && found
  })
  const changed = acts.find(({ event }) => event === 'QueueConfigured')!

  const page = await open('/audit')
  const rows = page.getByRole('grid', { name: 'Acts' }).getByRole('row')
  await page.getByText(`${acts.length} acts`, { exact: true }).waitFor()
  expect(await rows.count()).toBe(acts.length + 1)
  await expectAccessibleInAllLooks(page)
  await page.getByLabel('What').selectOption('QueueConfigured')
  await page.waitForURL(/kind=QueueConfigured/)
  await page.getByText(`1 act of ${acts.length}`).waitFor()

  const again = await open(new URL(page.url()).pathname + new URL(page.url()).search)
  await again.getByText(`1 act of ${acts.length}`).waitFor()
  await again.getByRole('gridcell', { name: 'bills' }).click()
  const panel = again.getByRole('region', { name: /changed the queue/ })
  const cells = panel.getByRole('row', { name: /retries/ }).getByRole('cell')
  expect(await cells.allInnerTexts()).toEqual(['retries', '2', '8'])
  await expectAccessibleInAllLooks(again)

  const saving = again.waitForEvent('download')
  await again.getByRole('button', { name: 'Save as ndjson' }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toBe('kiroku-acts.ndjson')
  const lines = (await readFile(await saved.path(), 'utf8')).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as Act)).toMatchObject([changed])

  await panel.getByRole('link', { name: 'Go to just before' }).click()
  await again.getByRole('heading', { level: 1, name: 'bills' }).waitFor()
  expect(new URL(again.url()).searchParams.get('at')).toBe(`${changed.partition}/${changed.seq - 1}`)
  const retries = again.locator('dt', { hasText: /^retries$/ }).locator('xpath=following-sibling::dd[1]')
  await retries.getByText('2', { exact: true }).waitFor()
  await expectAccessibleInAllLooks(again)
})
