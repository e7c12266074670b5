import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[CF-11] a queue with a delivery_delay delays every send that asks for none', async () => {
  // Given a queue whose producer is configured with a delay of five minutes
  await using world = await createWorld()
  const worker = await world.worker({
    consumers: [{ queue: 'mail', batchWaitMs: 0 }],
    producers: [{ binding: 'MAIL', queue: 'mail', deliveryDelayMs: 300_000 }],
  })

  await world.send('mail', 'one')
  await world.advance('10 seconds')
  await world.sendBatch('mail', ['two', 'three'])
  await world.advance('1 hour')

  expect(worker.times('one')).toEqual([300])
  expect(worker.times('two')).toEqual([310])
  expect(worker.times('three')).toEqual([310])
})
