import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it("[CF-16] the consumer's configuration names the DLQ, which is a queue like any other", async () => {
  // Given a consumer that fails, and names a dead-letter queue that does not exist
  await using world = await createWorld()
  await world.worker(
    { consumers: [{ queue: 'mail', batchWaitMs: 0, retriesMax: 0, deadLetter: 'other-queue' }] },
    () => {
      throw new Error('broken')
    },
  )
  await world.send('mail', 'dead')
  expect(await world.counts('other-queue')).toMatchObject({ available: 1 })

  // When a producer sends to it, and a Worker of its own consumes it
  await world.send('other-queue', 'sent directly')
  const worker = await world.worker({
    consumers: [{ queue: 'other-queue', batchWaitMs: 0, retriesMax: 0, deadLetter: 'third-queue' }],
  })
  await world.advance('1 second')

  // Then both came, as first deliveries of that queue
  expect(worker.of('dead')).toEqual([{ at: 0, attempt: 1 }])
  expect(worker.of('sent directly')).toEqual([{ at: 0, attempt: 1 }])
  expect(await world.counts('other-queue')).toMatchObject({ sent: 2, committed: 2 })
  expect(await world.counts('mail')).toMatchObject({ sent: 1, deadLettered: 1 })
})
