import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const minute = 60
const hour = 60 * minute

it('[RMQ-04] unordered messages retry by the table of 16 intervals, then every 2 hours', async () => {
  // Given a group with 20 retries whose consumer fails at once, always
  await using world = await createWorld()
  await world.queue('orders', { retry: { kind: 'rocketmq' }, retriesMax: 20, batchWaitMs: 0 })
  const consumer = await world.consumer('orders', () => {
    throw new Error('broken')
  })
  await world.send('orders', 'x')
  await world.advance('24 hours')

  const times = consumer.times('x')
  const intervals = times.slice(1).map((at, i) => at - times[i]!)
  expect(intervals).toEqual([
    ...[10, 30],
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30].map((minutes) => minutes * minute),
    ...[1 * hour, 2 * hour],
    ...[2 * hour, 2 * hour, 2 * hour, 2 * hour],
  ])
})
