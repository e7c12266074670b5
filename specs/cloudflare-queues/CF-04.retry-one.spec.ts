import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[CF-04] a retried message comes again in a later batch, the others do not', async () => {
  // Given a handler that retries one message once
  await using world = await createWorld()
  const worker = await world.worker({ consumers: [{ queue: 'mail', batchWaitMs: 1_000 }] }, (batch) => {
    for (const message of batch.messages) if (message.body === 'b' && message.attempts === 1) message.retry()
  })

  // When it gets a batch of three
  await world.sendBatch('mail', ['a', 'b', 'c'])
  await world.advance('1 hour')

  // Then the next batch holds that message alone
  expect(worker.batches).toEqual([
    { at: 1, bodies: ['a', 'b', 'c'], attempts: [1, 1, 1] },
    { at: 2, bodies: ['b'], attempts: [2] },
  ])
  expect(await world.counts('mail')).toMatchObject({ committed: 3, redelivered: 1 })
})
