import { batchCosts, type BatchCosts } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import type { RecentBatches } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

const measured = async (world: World, subscription = 'main'): Promise<RecentBatches | undefined> => {
  const { subscriptions } = await world.client.queues.describe('mail')
  return subscriptions.find(({ name }) => name === subscription)!.batches
}

const compare = (world: World, subscription?: string): Promise<BatchCosts> =>
  batchCosts(world.log, 'mail', {
    decodeCheckpoint,
    now: world.time.wallFromMs + world.time.now(),
    ...(subscription === undefined ? {} : { subscription }),
  })

/** Some minutes of a shop: now and then one order, now and then a rush. */
const day = async (world: World): Promise<void> => {
  for (const [count, thenMs] of [
    [1, 700],
    [3, 200],
    [25, 4_000],
    [2, 900],
    [2, 900],
    [2, 900],
    [60, 12_000],
    [7, 2_600],
    [1, 20_000],
  ] as const) {
    await world.sendBatch(
      'mail',
      Array.from({ length: count }, (_, i) => i),
    )
    await world.advance(`${thenMs} millis`)
  }
}

it('[ENG-17] the queue shows how full batches were compared with the request, and how long messages waited for others', async () => {
  await using world = await createWorld()
  await world.queue('mail', { batchMessages: 30, batchWaitMs: 10_000 })
  expect(await measured(world)).toBeUndefined()
  const consumer = await world.consumer('mail')
  await world.sendBatch(
    'mail',
    Array.from({ length: 30 }, (_, i) => i),
  )
  await world.advance('1 second')
  expect(await measured(world)).toMatchObject({
    deliveries: 1,
    messages: 30,
    messagesMax: 30,
    waited: { count: 30, p99Ms: 0 },
  })
  await world.sendBatch('mail', [1, 2, 3, 4, 5])
  await world.advance('4 seconds')
  await world.send('mail', 6)
  await world.advance('6 seconds')
  expect(consumer.batches).toHaveLength(2)
  const batches = (await measured(world))!
  expect(batches).toMatchObject({ deliveries: 2, messages: 36, messagesMax: 30, waited: { p50Ms: 0 } })
  expect(batches.waited!.p99Ms).toBeGreaterThanOrEqual(10_000)
  expect(batches.waited!.p99Ms).toBeLessThanOrEqual(11_250)
  await world.advance('2 minutes')
  expect(await measured(world)).toBeUndefined()
})

it('[ENG-17] waiting for a consumer, or for a receive without a batch wait, is no waiting for a batch', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  await world.send('mail', 1)
  await world.advance('20 seconds')
  await world.receive('mail', { max: 10, batchWaitMs: 0 })
  await world.send('mail', 2)
  await world.advance('20 seconds')
  const receiving = world.receive('mail', { max: 10, batchWaitMs: 5_000 })
  await world.advance('5 seconds')
  await receiving
  expect(await measured(world)).toMatchObject({ deliveries: 2, messages: 2, waited: { count: 2, p99Ms: 0 } })
})

it('[ENG-17] what other settings would have cost, replayed from the record, is what they cost when they are set', async () => {
  await using world = await createWorld()
  await world.queue('mail', { batchMessages: 10, batchWaitMs: 2_000 })
  await world.consumer('mail', () => {}, { concurrency: 20 })
  await day(world)
  const { subscriptions } = await compare(world)
  expect(subscriptions).toHaveLength(1)
  const [{ delivered, replayed }] = subscriptions as [BatchCosts['subscriptions'][number]]
  expect(replayed.map(({ batchMessages, batchWaitMs }) => [batchMessages, batchWaitMs])).toEqual([
    [5, 2_000],
    [10, 2_000],
    [20, 2_000],
    [10, 0],
    [10, 1_000],
    [10, 4_000],
  ])
  for (const { batchMessages, batchWaitMs, isSet, deliveries, messages, ...cost } of replayed) {
    await using other = await createWorld()
    await other.queue('mail', { batchMessages, batchWaitMs })
    const consumer = await other.consumer('mail', () => {}, { concurrency: 20 })
    await day(other)
    expect([batchMessages, batchWaitMs, deliveries, messages]).toEqual([
      batchMessages,
      batchWaitMs,
      consumer.batches.length,
      103,
    ])
    const recent = (await measured(other))!
    expect(cost.waited).toEqual({
      count: recent.waited!.count,
      p50Ms: recent.waited!.p50Ms,
      p99Ms: recent.waited!.p99Ms,
    })
    expect(cost.deliveriesPer1000).toBeCloseTo((deliveries * 1_000) / 103, 0)
    if (isSet) expect(delivered).toMatchObject({ deliveries, messages })
  }
  const costs = new Set(replayed.map(({ deliveries }) => deliveries))
  expect(costs.size).toBeGreaterThan(3)
})

it('[ENG-17] each subscription is compared by its own settings and arrivals, on every partition of the queue', async () => {
  await using world = await createWorld({ partitions: 2 })
  await world.queue('mail', { batchMessages: 1 })
  await world.client.queues.subscriptions.create('mail', 'billing', {
    batchMessages: 50,
    batchWaitMs: 10_000,
  })
  await world.client.queues.spread('mail', 2)
  await world.advance('5 seconds')
  await world.consumer('mail')
  await day(world)
  await world.advance('9 minutes')
  const { subscriptions, from, to } = await compare(world)
  expect(to - from).toBeLessThanOrEqual(600_000)
  const set = subscriptions.map(({ subscription, delivered, replayed }) => ({
    subscription,
    delivered: delivered.deliveries,
    set: replayed.find(({ isSet }) => isSet),
  }))
  expect(set).toMatchObject([
    { subscription: 'main', delivered: 103, set: { messages: 103, deliveriesPer1000: 1_000 } },
    { subscription: 'billing', delivered: 0, set: { messages: 103, batchMessages: 50, batchWaitMs: 10_000 } },
  ])
  expect((await compare(world, 'billing')).subscriptions).toMatchObject([{ subscription: 'billing' }])
  await expect(compare(world, 'nobody')).rejects.toMatchObject({ id: 'UnknownSubscription' })
  await using empty = await createWorld()
  await empty.queue('other')
  await expect(compare(empty)).rejects.toMatchObject({ id: 'UnknownQueue' })
  // What came before the window is available at its beginning, and what is never delivered costs nothing.
  await world.advance('10 minutes')
  expect((await compare(world)).subscriptions).toMatchObject([
    { subscription: 'main', delivered: { messages: 0 } },
    { subscription: 'billing', delivered: { messages: 0 } },
  ])
})
