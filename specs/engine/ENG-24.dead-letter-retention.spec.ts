import { expect, it } from 'vitest'
import type { ClientEvent } from '@kiroku/client'
import { createWorld, scrapeMetrics, type World } from '../harness/index.ts'

const day = 86_400_000

/** What is warned about, where it is looked at, listed and counted. */
const warningsOf = async (world: World, queue: string): Promise<readonly string[]> => {
  const { warnings } = await world.client.queues.describe(queue)
  const listed = (await world.client.queues.list()).find(({ name }) => name === queue)
  expect(listed!.warnings).toEqual(warnings)
  const metrics = await scrapeMetrics(world)
  expect(metrics.get(`kiroku_queue_warnings{queue="${queue}"}`)).toBe(warnings.length)
  return warnings
}

it('[ENG-24] a dead-letter queue that keeps its letters for less time than their queue is warned about', async () => {
  await using world = await createWorld({ partitions: 4 })
  await world.queue('mail-dlq', { retentionMs: day })
  await world.queue('mail', { retentionMs: 4 * day, deadLetter: 'mail-dlq' })
  const tooShort =
    'Dead letters are kept in "mail-dlq" for 1 d, less than the 4 d for which messages are kept here: set its retentionMs to 4 d or more.'
  expect(await warningsOf(world, 'mail')).toEqual([tooShort])

  // And a consumer is warned
  const events: ClientEvent[] = []
  world.newClient('worker', (event) => events.push(event)).consume('mail', () => {})
  await world.advance('1 second')
  expect(events).toEqual([{ type: 'queueWarning', queue: 'mail', warning: tooShort }])

  // Until it keeps them for as long
  await world.client.queues.update('mail-dlq', { retentionMs: 4 * day })
  expect(await warningsOf(world, 'mail')).toEqual([])
})

it('[ENG-24] one whose retention counts from the first send must keep them longer than their queue', async () => {
  await using world = await createWorld({ partitions: 4 })
  await world.queue('mail-dlq', { retentionMs: 4 * day, retentionFrom: 'original' })
  await world.queue('mail', { retentionMs: 4 * day, deadLetter: 'mail-dlq' })
  expect(await warningsOf(world, 'mail')).toEqual([
    'Dead letters are discarded from "mail-dlq" 4 d after they were first sent, and may spend 4 d here before: set its retentionFrom to arrival.',
  ])
  await world.client.queues.update('mail-dlq', { retentionMs: 5 * day })
  expect(await warningsOf(world, 'mail')).toEqual([])
  await world.client.queues.update('mail-dlq', { retentionMs: 4 * day, retentionFrom: 'arrival' })
  expect(await warningsOf(world, 'mail')).toEqual([])
})

it('[ENG-24] the dead-letter queue of a subscription is looked at as well', async () => {
  await using world = await createWorld({ partitions: 4 })
  await world.queue('mail', { deadLetter: 'mail-dlq' })
  await world.queue('billing-dlq', { retentionMs: day })
  await world.client.queues.subscriptions.create('mail', 'billing', { deadLetter: 'billing-dlq' })
  expect(await warningsOf(world, 'mail')).toEqual([
    expect.stringContaining('Dead letters are kept in "billing-dlq" for 1 d'),
  ])
})
