import { expect, it } from 'vitest'
import type { QueueSettings } from '@kiroku/client'
import { createWorld } from '../harness/index.ts'

const settings: QueueSettings = {
  retry: { kind: 'rocketmq' },
  retriesMax: 16,
  batchMessages: 1,
  batchWaitMs: 0,
}

const others = Array.from({ length: 50 }, (_, i) => `later ${i}`)

it('[RMQ-15] a message that always fails holds none of the later ones back', async () => {
  // Given one consumer that takes one message at a time, and a first message that it cannot handle
  await using world = await createWorld()
  await world.queue('orders', settings)
  await world.sendBatch('orders', ['bad', ...others])
  const consumer = await world.consumer('orders', ({ messages: [message] }) => {
    if (message!.text() === 'bad') throw new Error('bad')
  })

  // Then the others are done before its first retry, in their order
  expect(consumer.batches.map(({ bodies }) => bodies[0])).toEqual(['bad', ...others])
  expect(await world.counts('orders')).toMatchObject({ committed: 50, waitingRetry: 1 })

  // And what is sent between two of its retries is done at once
  await world.advance('5 minutes')
  await world.send('orders', 'new')
  expect(consumer.times('new')).toEqual([300])
  expect(consumer.of('bad').length).toBeGreaterThan(2)
})

it('[RMQ-15] many that fail hold none back either', async () => {
  await using world = await createWorld()
  await world.queue('orders', settings)
  await world.sendBatch(
    'orders',
    Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 'bad' : 'good')),
  )
  await world.consumer('orders', ({ messages: [message] }) => {
    if (message!.text() === 'bad') throw new Error('bad')
  })
  expect(await world.counts('orders')).toMatchObject({ committed: 50, waitingRetry: 50 })
})

it('[RMQ-15] of a batch of which each message is handled for itself, only those that fail come again', async () => {
  await using world = await createWorld()
  await world.queue('orders', { ...settings, batchMessages: 100 })
  await world.sendBatch('orders', ['bad', ...others])
  const attempts = new Map<string, number>()
  world.client.consumeEach('orders', async (message) => {
    attempts.set(message.text(), message.attempt)
    if (message.text() === 'bad') throw new Error('bad')
    await world.sleep('10 seconds')
  })
  await world.advance('20 minutes')
  expect(attempts.get('bad')).toBeGreaterThan(5)
  expect(others.map((body) => attempts.get(body))).toEqual(others.map(() => 1))
})

it('[RMQ-15] a message whose work hangs holds back nothing but its own place', async () => {
  // Given two places, one of which is taken for good
  await using world = await createWorld()
  await world.queue('orders', settings)
  await world.sendBatch('orders', ['hangs', ...others])
  const options = { concurrency: 2 }
  await world.consumer(
    'orders',
    ({ messages: [m] }) => m!.text() === 'hangs' && world.sleep('1 day'),
    options,
  )
  expect(await world.counts('orders')).toMatchObject({ committed: 50, inflight: 1 })
})

it('[RMQ-15] a single message whose work hangs holds back neither the retries of its batch nor what is sent later', async () => {
  await using world = await createWorld()
  await world.queue('orders', { ...settings, batchMessages: 100 })
  await world.sendBatch('orders', ['hangs', 'bad', ...others])
  world.client.consumeEach('orders', async (message) => {
    if (message.text() === 'hangs') await world.sleep('1 day')
    if (message.text() === 'bad' && message.attempt === 1) throw new Error('bad')
  })
  await world.advance('1 minute')
  expect(await world.counts('orders')).toMatchObject({ committed: 51, inflight: 1 })
  await world.send('orders', 'new')
  await world.advance('1 second')
  expect(await world.counts('orders')).toMatchObject({ committed: 52, inflight: 1 })
})
