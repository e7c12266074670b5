import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const kibibyte = 'k'.repeat(1_024)

it('[CARD-03] a delivery closes at its number of messages', async () => {
  await using world = await createWorld()
  await world.queue('mail', { batchMessages: 5, batchWaitMs: 10_000 })
  const consumer = await world.consumer('mail')
  await world.sendBatch('mail', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  expect(consumer.batches).toMatchObject([
    { at: 0, bodies: [1, 2, 3, 4, 5] },
    { at: 0, bodies: [6, 7, 8, 9, 10] },
  ])
  await world.advance('10 seconds')
  expect(consumer.batches.slice(2)).toMatchObject([{ at: 10, bodies: [11, 12] }])
})

it('[CARD-03] or after its time, counted from the first available message', async () => {
  await using world = await createWorld()
  await world.queue('mail', { batchMessages: 100, batchWaitMs: 10_000 })
  const consumer = await world.consumer('mail')
  await world.advance('7 seconds')
  await world.send('mail', 'a')
  await world.advance('9 seconds')
  await world.send('mail', 'b')
  await world.advance('1 minute')
  expect(consumer.batches).toMatchObject([{ at: 17, bodies: ['a', 'b'] }])
})

it('[CARD-03] or at its bytes, and a message that is larger alone still goes', async () => {
  await using world = await createWorld()
  await world.queue('mail', { batchMessages: 100, batchWaitMs: 10_000, batchBytes: 3_500 })
  const consumer = await world.consumer('mail')
  await world.sendBatch('mail', Array(7).fill(kibibyte))
  expect(consumer.batches).toMatchObject([{ at: 0 }, { at: 0 }])
  expect(consumer.sizes).toEqual([3, 3])
  await world.send('mail', kibibyte.repeat(10))
  await world.advance('10 seconds')
  expect(consumer.sizes).toEqual([3, 3, 1, 1])
})

it('[CARD-03] receives of several consumers each get a batch of their own', async () => {
  await using world = await createWorld()
  await world.queue('mail', { batchMessages: 4, batchWaitMs: 1_000 })
  const one = await world.consumer('mail', () => world.sleep('1 minute'))
  const two = await world.consumer('mail', () => world.sleep('1 minute'))
  await world.sendBatch('mail', [1, 2, 3, 4, 5, 6])
  await world.advance('2 seconds')
  expect([one, two].map((consumer) => consumer.batches)).toMatchObject([
    [{ at: 0, bodies: [1, 2, 3, 4] }],
    [{ at: 1, bodies: [5, 6] }],
  ])
})
