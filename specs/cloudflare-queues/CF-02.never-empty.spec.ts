import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const consumers = [{ queue: 'mail', batchMessages: 30, batchWaitMs: 10_000 }]
const numbered = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

it('[CF-02] thirty messages leave at once as a batch of thirty', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers })
  await world.sendBatch('mail', numbered(30))
  expect(worker.batches).toEqual([{ at: 0, bodies: numbered(30), attempts: Array(30).fill(1) }])
})

it('[CF-02] fewer within ten seconds leave as one batch when these are over', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers })
  for (let i = 0; i < 29; i++) {
    await world.send('mail', i)
    await world.advance('300 millis')
  }
  expect(worker.sizes).toEqual([])
  await world.advance('5 seconds')
  expect(worker.batches).toMatchObject([{ at: 10, bodies: numbered(29) }])
})

it('[CF-02] a single message leaves after ten seconds, and no batch is ever empty', async () => {
  await using world = await createWorld()
  const worker = await world.worker({ consumers })
  await world.advance('1 hour')
  await world.send('mail', 'alone')
  await world.advance('1 hour')
  expect(worker.batches).toEqual([{ at: 3_610, bodies: ['alone'], attempts: [1] }])
})
