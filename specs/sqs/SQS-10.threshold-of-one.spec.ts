import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const reason =
  /dead-lettered after 1 attempt, .* a crash or a lost connection kept it from its consumer: set retriesMax to 1 or more/

it('[SQS-10] a DLQ threshold of 1 is warned about, with the reason, wherever the queue is looked at', async () => {
  await using world = await createWorld()
  const { queues } = world.client
  await queues.create('hasty', { retriesMax: 0, deadLetter: 'dlq' })
  expect((await queues.describe('hasty')).warnings).toEqual([expect.stringMatching(reason)])
  expect((await queues.list()).map(({ name, warnings }) => [name, warnings.length])).toEqual([
    ['dlq', 0],
    ['hasty', 1],
  ])

  // When it retries first, or dead-letters nothing, that is nothing to warn about
  await queues.update('hasty', { retriesMax: 1 })
  expect((await queues.describe('hasty')).warnings).toEqual([])
  await queues.update('hasty', { retriesMax: 0, deadLetter: null })
  expect((await queues.describe('hasty')).warnings).toEqual([expect.stringMatching(/is discarded/)])
})

it('[SQS-10] for a delivery counts that its consumer never saw', async () => {
  // Given a consumer that is gone when its delivery is decided
  await using world = await createWorld()
  await world.queue('hasty', { leaseMs: 30_000, retriesMax: 0, deadLetter: 'dlq' })
  await world.send('hasty', 'x')
  await world.receive('hasty', { mode: 'push' })

  // Then one lost lease is enough
  await world.advance('30 seconds')
  expect(await world.counts('hasty')).toMatchObject({ deadLettered: 1 })
})
