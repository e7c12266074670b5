import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const consumers = [{ queue: 'mail', batchWaitMs: 0 }]

it('[CF-07] retry() on a message beats a later ackAll()', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch) => {
    const message = batch.messages.find((each) => each.body === 'own')
    if (message?.attempts === 1) message.retry()
    batch.ackAll()
  })
  await world.sendBatch('mail', ['own', 'other'])
  await world.advance('1 hour')
  expect(worker.of('own')).toHaveLength(2)
  expect(worker.of('other')).toHaveLength(1)
})

it('[CF-07] ack() on a message beats a later retryAll()', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch) => {
    batch.messages.find((each) => each.body === 'own')?.ack()
    if (batch.messages[0]!.attempts === 1) batch.retryAll()
  })
  await world.sendBatch('mail', ['own', 'other'])
  await world.advance('1 hour')
  expect(worker.of('own')).toHaveLength(1)
  expect(worker.of('other')).toHaveLength(2)
})

it("[CF-07] a message's own retry delay beats the delay of a later retryAll()", async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch) => {
    if (batch.messages[0]!.attempts > 1) return
    batch.messages.find((each) => each.body === 'own')?.retry({ delaySeconds: 5 })
    batch.retryAll({ delaySeconds: 60 })
  })
  await world.sendBatch('mail', ['own', 'other'])
  await world.advance('1 hour')
  expect(worker.times('own')).toEqual([0, 5])
  expect(worker.times('other')).toEqual([0, 60])
})
