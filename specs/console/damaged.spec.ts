import { connect, requireJetStream } from '@kiroku/nats'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import type { EngineWithConsole } from './harness/EngineWithConsole.ts'
import { expectAccessibleInAllLooks } from './harness/expectAccessibleInAllLooks.ts'
import { expectAccessible, withConsole } from './harness/withConsole.ts'

const stage = withConsole(['--partitions', '2'])

/** Removes a record from a partition's log while it has no owner, and starts the engine on the rest. */
const damage = async (engine: EngineWithConsole, partition: number): Promise<void> => {
  const nats = await connect({ servers: engine.nats, findsKey: true })
  try {
    const { streams } = await requireJetStream(nats)
    const stream = `KIROKU_main_${partition}`
    const { state } = await streams.info(stream)
    await engine.kill()
    await streams.deleteMessage(stream, state.last_seq - 1)
  } finally {
    await nats.close()
  }
  await engine.start()
}

it('where one partition is damaged, pages show the others now and then, and name it with what to do', async () => {
  const { engine, open } = stage()
  const { client, url } = engine
  for (const queue of ['mail', 'work']) {
    await client.queues.create(queue)
    for (let n = 0; n < 3; n++) await client.send(queue, { n })
  }
  const [bad, whole] = [await client.queues.describe('mail'), await client.queues.describe('work')]
  expect(bad.partition).not.toBe(whole.partition)
  await damage(engine, bad.partition)
  const isClosed = async (): Promise<boolean> => {
    const { missing } = (await (await fetch(`${url}/v1/queues`)).json()) as { missing?: unknown[] }
    return missing?.length === 1
  }
  await waitUntil(isClosed, { timeoutMs: 30_000, what: 'the partition is closed' })
  const note = `Partition ${bad.partition} cannot be read`

  const page = await open('/queues')
  await page.getByRole('alert').getByText(note).waitFor()
  const table = page.getByRole('grid', { name: 'Queues' })
  await table.getByText('work', { exact: true }).waitFor()
  expect(await table.getByText('mail').count()).toBe(0)
  await page.getByText('1 queue ·').waitFor()
  await expectAccessibleInAllLooks(page)

  await page.goto(`${url}/cluster`)
  await page.getByRole('alert').getByText('kiroku repair --yes').waitFor()
  const tiles = page.getByRole('list', { name: 'Partitions' }).getByRole('listitem')
  await tiles.nth(bad.partition).getByText('Quarantined').waitFor()
  await tiles.nth(whole.partition).getByText('Active').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Machine' }).click()
  await page.getByRole('alert').getByText(note).waitFor()
  const available = (n: number) => page.locator(`[data-state="Available"][data-count="${n}"]`).first()
  await available(3).waitFor()
  await client.send('work', 'goes on')
  await available(4).waitFor()
  await expectAccessible(page)

  const then = encodeURIComponent(new Date().toISOString())
  for (const path of [`/?at=${then}`, `/queues?at=${then}`, `/dlq?at=${then}`]) {
    await page.goto(url + path)
    await page.getByRole('alert').getByText(note).waitFor()
  }
  await page.goto(`${url}/cluster?at=${then}`)
  await page.getByRole('alert').getByText(note).waitFor()
  expect(await tiles.nth(bad.partition).innerText()).toContain('Cannot be read')
  expect(await tiles.nth(whole.partition).innerText()).toContain('4 waiting')
  await expectAccessible(page)
})
