import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const consumers = [{ queue: 'mail', batchMessages: 10, batchWaitMs: 1_000 }]

it('[CF-09] when the 8th of 10 messages fails the handler, all 10 are redelivered', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch) => {
    for (const message of batch.messages)
      if (message.body === 8 && message.attempts === 1) throw new Error('the 8th is broken')
  })
  await world.sendBatch('mail', ten)
  await world.advance('1 hour')
  expect(worker.batches.map(({ bodies }) => bodies)).toEqual([ten, ten])
  expect(await world.counts('mail')).toMatchObject({ committed: 10 })
})

it('[CF-09] what was acked explicitly before the failure is not', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch) => {
    for (const message of batch.messages) {
      if (message.body === 8 && message.attempts === 1) throw new Error('the 8th is broken')
      message.ack()
    }
  })
  await world.sendBatch('mail', ten)
  await world.advance('1 hour')
  expect(worker.batches.map(({ bodies }) => bodies)).toEqual([ten, [8, 9, 10]])
})

it('[CF-09] a promise given to waitUntil that rejects is such a failure too', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch, _env, ctx) => {
    if (batch.messages[0]!.attempts === 1) ctx.waitUntil(Promise.reject(new Error('broken later')))
  })
  await world.sendBatch('mail', ten)
  await world.advance('1 hour')
  expect(worker.sizes).toEqual([10, 10])
})
