import { describe, expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

describe('the retries of an ordered message', () => {
  it('[RMQ-05] come at a fixed interval, and everything behind it waits', async () => {
    await using world = await createWorld()
    await world.queue('orders', {
      groups: 'ordered',
      retriesMax: 16,
      retry: { kind: 'fixed', delayMs: 3_000 },
      batchMessages: 1,
      batchWaitMs: 0,
    })
    await world.client.sendBatch('orders', [
      { body: 'first', group: 'a' },
      { body: 'second', group: 'a' },
    ])
    const consumer = await world.consumer('orders', (batch) => {
      if (batch.messages[0]!.text() === 'first' && batch.messages[0]!.attempt < 5) throw new Error('not yet')
    })
    await world.advance('1 minute')
    expect(consumer.batches.map(({ at, bodies, attempts }) => [at, bodies[0], attempts[0]])).toEqual([
      [0, 'first', 1],
      [3, 'first', 2],
      [6, 'first', 3],
      [9, 'first', 4],
      [12, 'first', 5],
      [12, 'second', 1],
    ])
  })

  it('[RMQ-05] cannot be set to anything else', async () => {
    await using world = await createWorld()
    for (const retry of [{ kind: 'rocketmq' }, { kind: 'list', delaysMs: [1, 2] }] as const)
      await expect(world.queue('orders', { groups: 'ordered', retry })).rejects.toMatchObject({
        id: 'InvalidConfig',
      })
  })
})
