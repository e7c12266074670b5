import { expect, it } from 'vitest'
import type { QueueSettings } from '@kiroku/client'
import { createWorld } from '../harness/index.ts'

const settings: QueueSettings = {
  retry: { kind: 'fixed', delayMs: 10_000 },
  leaseMs: 60_000,
  batchWaitMs: 0,
}

it('[RMQ-03] a failure result triggers a retry', async () => {
  await using world = await createWorld()
  await world.queue('orders', settings)
  const consumer = await world.consumer('orders', ({ messages: [message] }) => {
    if (message!.attempt === 1) message!.retry({ error: 'not now' })
  })
  await world.send('orders', 'x')
  await world.advance('1 hour')
  expect(consumer.times('x')).toEqual([0, 10])
})

it('[RMQ-03] an exception triggers a retry', async () => {
  await using world = await createWorld()
  await world.queue('orders', settings)
  const consumer = await world.consumer('orders', async ({ messages: [message] }) => {
    await world.sleep('3 seconds')
    if (message!.attempt === 1) throw new Error('broken')
  })
  await world.send('orders', 'x')
  await world.advance('1 hour')
  expect(consumer.times('x')).toEqual([0, 13])
})

it('[RMQ-03] a timeout triggers a retry', async () => {
  // Given a consumer that hangs on the first attempt and does not renew its lease, next to one that works
  await using world = await createWorld()
  await world.queue('orders', settings)
  const hanging = await world.consumer('orders', () => world.sleep('1 day'), { renew: false })
  await world.send('orders', 'x')
  const working = await world.consumer('orders')
  await world.advance('1 hour')
  expect(hanging.of('x')).toEqual([{ at: 0, attempt: 1 }])
  expect(working.of('x')).toEqual([{ at: 70, attempt: 2 }])
})

it("[RMQ-03] the time that a message waits in the client's own queue counts", async () => {
  // Given a consumer that took two messages, and works on them one after the other, 40 s each
  await using world = await createWorld()
  await world.queue('orders', settings)
  await world.sendBatch('orders', ['first', 'waiting'])
  const slow = await world.consumer(
    'orders',
    async ({ messages }) => {
      for (const message of messages) {
        await world.sleep('40 seconds')
        message.ack()
      }
    },
    { renew: false },
  )
  const other = await world.consumer('orders')

  // Then the second's minute ends before its 40 s of work do
  await world.advance('1 hour')
  expect(slow.batches[0]!.bodies).toEqual(['first', 'waiting'])
  expect(other.of('first')).toEqual([])
  const types = (await world.record()).filter((event) => event.type === 'LeaseExpired')
  expect(types).toMatchObject([{ numbers: [2, 1] }])
})
