import { expect, it } from 'vitest'
import type { QueueSettings } from '@kiroku/client'
import { createWorld, type World } from '../harness/index.ts'

/** How often a message is delivered whose consumer always fails. */
const deliveriesOf = async (world: World, queue: string, settings: QueueSettings): Promise<number> => {
  await world.queue(queue, { batchWaitMs: 0, ...settings })
  const consumer = await world.consumer(queue, () => {
    throw new Error('broken')
  })
  await world.send(queue, 'x')
  await world.advance('5 hours')
  return consumer.of('x').length
}

it('[RMQ-06] 3 retries are 4 deliveries, 16 are 17, each queue by its own limit', async () => {
  await using world = await createWorld()
  expect(await deliveriesOf(world, 'three', { retriesMax: 3 })).toBe(4)
  expect(await deliveriesOf(world, 'sixteen', { retriesMax: 16, retry: { kind: 'rocketmq' } })).toBe(17)
})

it('[RMQ-06] at most 1000 retries can be set, and are made', async () => {
  await using world = await createWorld()
  await expect(world.queue('more', { retriesMax: 1_001 })).rejects.toMatchObject({ id: 'InvalidConfig' })
  expect(await deliveriesOf(world, 'most', { retriesMax: 1_000 })).toBe(1_001)
})

it('[RMQ-06] the limit can be changed on a live group', async () => {
  // Given a message that failed once, of a group with 16 retries
  await using world = await createWorld()
  await world.queue('orders', { retriesMax: 16, retry: { kind: 'fixed', delayMs: 60_000 }, batchWaitMs: 0 })
  const consumer = await world.consumer('orders', () => {
    throw new Error('broken')
  })
  await world.send('orders', 'lowered')
  await world.advance('30 seconds')

  // When the limit becomes 2, the message gets the two retries
  await world.client.queues.update('orders', { retriesMax: 2 })
  await world.advance('1 hour')
  expect(consumer.of('lowered')).toHaveLength(3)

  // And a raised limit holds for one that is waiting
  await world.send('orders', 'raised')
  await world.advance('30 seconds')
  await world.client.queues.update('orders', { retriesMax: 5 })
  await world.advance('1 hour')
  expect(consumer.of('raised')).toHaveLength(6)
})
