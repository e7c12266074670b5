import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

const consumers = [{ queue: 'mail', batchWaitMs: 0 }]
const sendThree = (world: World): Promise<void> => world.sendBatch('mail', ['a', 'b', 'c'])

it('[CF-05] returning normally acknowledges the batch', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers })
  await sendThree(world)
  await world.advance('1 hour')
  expect(worker.sizes).toEqual([3])
  expect(await world.counts('mail')).toMatchObject({ committed: 3 })
})

it('[CF-05] ackAll() does the same, also when the handler throws after it', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch) => {
    batch.ackAll()
    throw new Error('too late to matter')
  })
  await sendThree(world)
  await world.advance('1 hour')
  expect(worker.sizes).toEqual([3])
  expect(await world.counts('mail')).toMatchObject({ committed: 3 })
})

it('[CF-05] retryAll() delivers the whole batch again', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers }, (batch) => {
    if (batch.messages[0]!.attempts === 1) batch.retryAll()
  })
  await sendThree(world)
  await world.advance('1 hour')
  expect(worker.batches.map(({ bodies, attempts }) => ({ bodies, attempts }))).toEqual([
    { bodies: ['a', 'b', 'c'], attempts: [1, 1, 1] },
    { bodies: ['a', 'b', 'c'], attempts: [2, 2, 2] },
  ])
})
