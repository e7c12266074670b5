import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[CF-06] the first of ack() and retry() on a message wins, and later ones are ignored silently', async () => {
  // Given a handler that calls both on each message, in both orders, twice
  await using world = await createWorld()
  const worker = await world.worker({ consumers: [{ queue: 'mail', batchWaitMs: 0 }] }, (batch) => {
    for (const message of batch.messages) {
      if (message.attempts > 1) continue
      if (message.body === 'ack first') {
        message.ack()
        message.ack()
        message.retry()
      } else {
        message.retry()
        message.ack()
        message.ack()
      }
    }
  })

  await world.sendBatch('mail', ['ack first', 'retry first'])
  await world.advance('1 hour')

  // Then the first call decided, and nothing complained
  expect(worker.of('ack first')).toHaveLength(1)
  expect(worker.of('retry first')).toHaveLength(2)
  expect(world.events).toEqual([])
})
