import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const consumers = [{ queue: 'mail', batchWaitMs: 0 }]

it('[CF-12] retry({ delaySeconds }) delays one message', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch) => {
    for (const message of batch.messages)
      if (message.body === 'slow' && message.attempts === 1) message.retry({ delaySeconds: 3_600 })
  })
  await world.sendBatch('mail', ['slow', 'quick'])
  await world.advance('59 minutes')
  expect(worker.sizes).toEqual([2])
  expect(await world.counts('mail')).toMatchObject({ waitingRetry: 1, committed: 1 })
  await world.advance('2 minutes')
  expect(worker.times('slow')).toEqual([0, 3_600])
})

it('[CF-12] retryAll({ delaySeconds }) delays the batch', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch) => {
    if (batch.messages[0]!.attempts === 1) batch.retryAll({ delaySeconds: 600 })
  })
  await world.sendBatch('mail', ['a', 'b'])
  await world.advance('1 hour')
  expect(worker.batches).toEqual([
    { at: 0, bodies: ['a', 'b'], attempts: [1, 1] },
    { at: 600, bodies: ['a', 'b'], attempts: [2, 2] },
  ])
})
