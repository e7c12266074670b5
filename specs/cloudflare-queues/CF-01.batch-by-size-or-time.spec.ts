import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[CF-01] a batch is delivered at max_batch_size or after max_batch_timeout, whichever is first', async () => {
  // Given a worker with batches of 3 messages or 4 seconds
  await using world = await createWorld()
  const worker = await world.worker({ consumers: [{ queue: 'mail', batchMessages: 3, batchWaitMs: 4_000 }] })

  // When three messages are there before the time is over, the size closes the batch
  await world.sendBatch('mail', ['a', 'b'])
  await world.advance('1 second')
  expect(worker.batches).toEqual([])
  await world.send('mail', 'c')
  expect(worker.batches).toEqual([{ at: 1, bodies: ['a', 'b', 'c'], attempts: [1, 1, 1] }])

  // When they are not, the time does, counted from the first message
  await world.advance('1 second')
  await world.send('mail', 'd')
  await world.advance('3 seconds')
  await world.send('mail', 'e')
  expect(worker.batches).toHaveLength(1)
  await world.advance('1 second')
  expect(worker.batches[1]).toEqual({ at: 6, bodies: ['d', 'e'], attempts: [1, 1] })
})
