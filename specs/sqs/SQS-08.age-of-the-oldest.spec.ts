import { expect, it } from 'vitest'
import type { QueueSettings } from '@kiroku/client'
import { createWorld, scrapeMetrics, type World } from '../harness/index.ts'

const hour = 3_600

/** The age of the oldest message, in seconds, as the metric and as the client have it. */
const oldestAge = async (world: World): Promise<number> => {
  const { oldestAgeMs } = await world.client.queues.describe('jobs')
  const metric = (await scrapeMetrics(world)).get('kiroku_oldest_age_seconds{queue="jobs"}')
  expect(metric).toBe(oldestAgeMs / 1_000)
  return oldestAgeMs / 1_000
}

/** A message that no consumer can process, and six hours in which every other one is done within a minute. */
const sixHoursWithPoison = async (settings: QueueSettings): Promise<World> => {
  const world = await createWorld()
  await world.queue('jobs', { leaseMs: 30_000, exhaustion: 'onNextReceive', batchWaitMs: 0, ...settings })
  await world.send('jobs', 'poison')
  for (let minutes = 0; minutes < 6 * 60; minutes += 10) {
    await world.send('jobs', `sound ${minutes}`)
    for (const message of await world.receive('jobs', { max: 10 }))
      if (message.text() !== 'poison') await message.ack()
    await world.advance('10 minutes')
  }
  return world
}

it('[SQS-08] the age of the oldest message is a metric, from its send to its end', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  expect(await oldestAge(world)).toBe(0)
  await world.send('jobs', 'first')
  await world.advance('1 minute')
  await world.send('jobs', 'second')
  await world.advance('1 minute')
  expect(await oldestAge(world)).toBe(120)

  // A receive is no end
  const [first] = await world.receive('jobs')
  await world.advance('10 seconds')
  expect(await oldestAge(world)).toBe(130)

  // When the oldest is done, the next one counts
  await first!.ack()
  expect(await oldestAge(world)).toBe(70)
  const [second] = await world.receive('jobs')
  await second!.ack()
  expect(await oldestAge(world)).toBe(0)
})

it('[SQS-08] a poison message distorts it: hours, though everything else is done at once', async () => {
  await using world = await sixHoursWithPoison({ retriesMax: 1_000 })
  expect(await world.counts('jobs')).toMatchObject({ available: 1, committed: 36 })
  expect(await oldestAge(world)).toBe(6 * hour)
})

it('[SQS-08] a DLQ cures that', async () => {
  await using world = await sixHoursWithPoison({ retriesMax: 2, deadLetter: 'jobs-dlq' })
  expect(await world.counts('jobs')).toMatchObject({ available: 0, committed: 36, deadLettered: 1 })
  expect(await oldestAge(world)).toBe(0)
  await world.send('jobs', 'fresh')
  await world.advance('5 seconds')
  expect(await oldestAge(world)).toBe(5)
})
