import { describe, expect, it } from 'vitest'
import { trace } from '@kiroku/audit'
import { createWorld } from '../harness/index.ts'

describe('messages that are discarded by their numbers', () => {
  it('[ENG-09] end unless they are in flight, and the others are delivered', async () => {
    await using world = await createWorld()
    await world.queue('mail')
    await world.client.sendBatch(
      'mail',
      ['a', 'b', 'c', 'd'].map((body) => ({ body })),
    )
    const [held] = await world.receive('mail')
    const { partition } = await world.client.queues.describe('mail')
    const which = { partition, state: 'Available' as const, numbers: [1, 3] }
    expect(await world.client.queues.discard('mail', which)).toEqual({ discarded: 2 })
    await held!.ack()
    expect((await world.receive('mail', { max: 10 })).map((message) => message.text())).toEqual(['d'])
    expect(await world.counts('mail')).toMatchObject({ committed: 1, discarded: 2 })
  })

  it('[ENG-09] go to no dead-letter queue, and their record says who did it and why', async () => {
    await using world = await createWorld()
    await world.queue('dead')
    await world.queue('mail', { deadLetter: 'dead' })
    const { messageId } = await world.client.send('mail', 'stale')
    const { partition } = await world.client.queues.describe('mail')
    const by = { name: 'ann', origin: 'test', reason: 'out of date' }
    await world.client.queues.discard('mail', { partition, state: 'Available', numbers: [1, 1] }, by)
    expect((await trace(world.log, messageId)).steps.at(-1)).toMatchObject({
      event: 'Discarded',
      reason: 'operator',
      by: { name: 'ann', reason: 'out of date' },
    })
    expect(await world.counts('dead')).toMatchObject({ sent: 0, available: 0 })
  })

  it('[ENG-09] stay discarded when the engine restarts', async () => {
    await using world = await createWorld()
    await world.queue('mail')
    await world.client.send('mail', 'stale')
    const { partition } = await world.client.queues.describe('mail')
    await world.client.queues.discard('mail', { partition, state: 'Available', numbers: [1, 1] })
    await world.restart('crash')
    expect(await world.receive('mail', { max: 10 })).toEqual([])
  })

  it('[ENG-09] let their group continue at once', async () => {
    await using world = await createWorld()
    await world.queue('orders', { groups: 'ordered', retry: { kind: 'fixed', delayMs: 3_600_000 } })
    await world.client.sendBatch('orders', [
      { body: 'a1', group: 'a' },
      { body: 'a2', group: 'a' },
    ])
    const [a1] = await world.receive('orders')
    await a1!.retry()
    const consumer = await world.consumer('orders', undefined, { batchWaitMs: 0 })
    await world.advance('1 minute')
    expect(consumer.batches).toEqual([])
    const { partition } = await world.client.queues.describe('orders')
    await world.client.queues.discard('orders', { partition, state: 'WaitingRetry', numbers: [1, 1] })
    await world.advance('1 second')
    expect(consumer.times('a2')).toEqual([60])
  })
})
