import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[RMQ-14] a group that is throttled to a trickle spends no attempt, and nothing reaches its DLQ', async () => {
  // Given a group whose messages die at the first failure, and far more of them than its rate allows
  await using world = await createWorld()
  await world.queue('dead')
  await world.queue('orders', { rateMax: 2, retriesMax: 0, deadLetter: 'dead', batchWaitMs: 0 })
  await world.sendBatch(
    'orders',
    Array.from({ length: 20 }, (_, i) => `${i}`),
  )
  const consumer = await world.consumer('orders')

  // Then they wait as Ready, not as WaitingRetry
  await world.advance('5 seconds')
  expect(consumer.batches).toHaveLength(10)
  expect(await world.counts('orders')).toMatchObject({ available: 10, waitingRetry: 0, redelivered: 0 })

  // And all of them are consumed in the end at their first attempt
  await world.advance('5 seconds')
  expect(consumer.batches.map((batch) => batch.attempts)).toEqual(Array(20).fill([1]))
  expect(await world.counts('orders')).toMatchObject({ committed: 20, deadLettered: 0 })
  expect(await world.counts('dead')).toMatchObject({ sent: 0 })
})

it('[RMQ-14] a pause spends no attempt either, however long it is', async () => {
  await using world = await createWorld()
  await world.queue('dead')
  await world.queue('orders', { retriesMax: 0, deadLetter: 'dead', batchWaitMs: 0 })
  const consumer = await world.consumer('orders')
  await world.client.queues.pause('orders')
  await world.sendBatch('orders', ['a', 'b', 'c'])
  await world.advance('1 day')
  expect(await world.counts('orders')).toMatchObject({ available: 3, waitingRetry: 0 })
  await world.client.queues.resume('orders')
  await world.advance('1 second')
  expect(consumer.batches).toEqual([{ at: 86_400, bodies: ['a', 'b', 'c'], attempts: [1, 1, 1] }])
  expect(await world.counts('orders')).toMatchObject({ committed: 3, redelivered: 0, deadLettered: 0 })
})

it('[RMQ-14] what is in flight already fails and is retried as ever while the rate allows nothing more', async () => {
  await using world = await createWorld()
  await world.queue('orders', { rateMax: 1, retriesMax: 1, retry: { kind: 'fixed', delayMs: 100 } })
  await world.sendBatch('orders', ['x'])
  await world.advance('1 second')
  const [first] = await world.receive('orders')
  await first!.retry()
  await world.advance('500 millis')
  expect(await world.receive('orders')).toEqual([])
  await world.advance('500 millis')
  const [second] = await world.receive('orders')
  expect(second).toMatchObject({ attempt: 2 })
  await second!.ack()
  expect(await world.counts('orders')).toMatchObject({ committed: 1, discarded: 0 })
})
