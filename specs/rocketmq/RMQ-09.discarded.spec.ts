import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it('[RMQ-09] without a dead-letter queue exhausted messages are Discarded, with the reason on record', async () => {
  await using world = await createWorld()
  await world.queue('orders', { retriesMax: 2, batchWaitMs: 0 })
  const consumer = await world.consumer('orders', () => {
    throw new Error('broken')
  })
  await world.send('orders', 'x')
  await world.advance('1 hour')

  expect(consumer.of('x')).toHaveLength(3)
  expect(await world.counts('orders')).toMatchObject({ discarded: 1, deadLettered: 0, available: 0 })
  const last = (await world.record()).filter(({ type }) => type === 'Discarded')
  expect(last).toMatchObject([{ reason: 'exhausted', cause: 'retry', error: 'broken' }])
})
