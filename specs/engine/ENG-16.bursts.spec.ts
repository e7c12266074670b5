import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const perSecond = 50
const seconds = 20

it('[ENG-16] a burst costs its producers nothing, and reaches the consumer at its own pace in full batches', async () => {
  // Given a worker that takes a second for a batch of up to ten
  await using world = await createWorld()
  const consumers = [{ queue: 'mail', batchMessages: 10, concurrency: 1 }]
  const worker = await world.worker({ consumers }, () => world.sleep('1 second'))

  // When five times as much comes for 20 seconds
  const latencies: number[] = []
  for (let second = 0; second < seconds; second++) {
    for (let i = 0; i < perSecond; i++) {
      const sentAt = world.time.now()
      await world.send('mail', i)
      latencies.push(world.time.now() - sentAt)
    }
    await world.advance('1 second')
  }

  // Then no send waited for the worker, and what it has not worked on yet waits in the queue
  expect(Math.max(...latencies)).toBe(0)
  const { available } = await world.counts('mail')
  expect(available).toBeGreaterThan((perSecond - 10) * seconds - 20)

  // And all of it is handled with its first attempt, one batch after the other, in as few invocations as its size allows
  await world.advance('2 minutes')
  const all = perSecond * seconds
  expect(await world.counts('mail')).toMatchObject({ committed: all, redelivered: 0 })
  expect(worker.batches.length).toBeLessThanOrEqual(all / 10 + 1)
  const gaps = worker.batches.slice(1).map(({ at }, i) => at - worker.batches[i]!.at)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1)
})

it('[ENG-16] a burst that ends before a batch waited its time is one invocation for each full batch', async () => {
  await using world = await createWorld()
  const consumers = [{ queue: 'mail', batchMessages: 100, batchWaitMs: 5_000, concurrency: 1 }]
  const worker = await world.worker({ consumers })
  for (let i = 0; i < 250; i++) {
    await world.send('mail', i)
    if (i % 100 === 99) await world.advance('1 second')
  }
  await world.advance('10 seconds')
  expect(worker.sizes).toEqual([100, 100, 50])
})
