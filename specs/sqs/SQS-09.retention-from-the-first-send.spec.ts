import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

const dayMs = 86_400_000

/** A message that was a day in its queue before it came to a DLQ that keeps four days from the first send. */
const dayOldDeadLetter = async (world: World): Promise<void> => {
  await world.queue('jobs-dlq', { retentionMs: 4 * dayMs, retentionFrom: 'original' })
  await world.queue('jobs', {
    retentionMs: 4 * dayMs,
    exhaustion: 'onNextReceive',
    retriesMax: 1,
    deadLetter: 'jobs-dlq',
  })
  await world.send('jobs', 'x')
  await world.advance('1 day')
  for (let receives = 0; receives < 3; receives++) {
    await world.receive('jobs')
    await world.advance('30 seconds')
  }
  expect(await world.counts('jobs-dlq')).toMatchObject({ available: 1 })
}

it('[SQS-09] after a day in the source, a DLQ of four days deletes it after three more', async () => {
  await using world = await createWorld()
  await dayOldDeadLetter(world)

  // Given 90 seconds are left of the fourth day since its first send
  await world.advance('4317 minutes')
  expect(world.seconds).toBe(4 * 86_400 - 90)
  expect(await world.counts('jobs-dlq')).toMatchObject({ available: 1, discarded: 0 })

  // When that ends, so does the message
  await world.advance('90 seconds')
  expect(await world.counts('jobs-dlq')).toMatchObject({ available: 0, discarded: 1 })
  expect(await world.receive('jobs-dlq')).toEqual([])
})

it('[SQS-09] it says so itself: the time of its first send came with it', async () => {
  await using world = await createWorld()
  const begun = Date.UTC(2026, 0, 1)
  await dayOldDeadLetter(world)
  const [dead] = await world.receive('jobs-dlq')
  expect(dead!.enqueuedAt).toBe(begun)
})

it('[SQS-09] a restart of the engine does not restart the count', async () => {
  await using world = await createWorld()
  await dayOldDeadLetter(world)
  await world.restart('crash')
  await world.advance('3 days')
  expect(await world.counts('jobs-dlq')).toMatchObject({ available: 0, discarded: 1 })
})
