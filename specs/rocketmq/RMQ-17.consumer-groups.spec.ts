import { trace } from '@kiroku/audit'
import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

/** A topic: a queue with a subscription for each consumer group. */
const topic = async (world: World, ...groups: string[]): Promise<void> => {
  await world.queue('topic', { batchWaitMs: 0, retriesMax: 16, retry: { kind: 'rocketmq' } })
  for (const group of groups) await world.client.queues.subscriptions.create('topic', group)
}

it('[RMQ-17] one message is in another state for each group at the same time', async () => {
  // Given four groups that did four things with the same message
  await using world = await createWorld()
  await topic(world, 'done', 'working', 'failed', 'gave-up')
  await world.client.queues.subscriptions.update('topic', 'gave-up', { deadLetter: 'gave-up-dead' })
  const { messageId } = await world.client.send('topic', 'x')
  const take = async (subscription: string) =>
    (await world.receive('topic', { subscription, mode: 'push', leaseMs: 60_000 }))[0]!
  await (await take('done')).ack()
  await take('working')
  await (await take('failed')).retry()
  await (await take('gave-up')).deadLetter('not for us')

  // Then it is Committed, Inflight, WaitingRetry and in the DLQ, and Ready for the one that did not look yet
  const { subscriptions } = await world.client.queues.describe('topic')
  const state = ({ counts: c }: (typeof subscriptions)[number]) => [
    c.available,
    c.inflight,
    c.waitingRetry,
    c.committed,
    c.deadLettered,
  ]
  expect(Object.fromEntries(subscriptions.map((sub) => [sub.name, state(sub)]))).toEqual({
    main: [1, 0, 0, 0, 0],
    done: [0, 0, 0, 1, 0],
    working: [0, 1, 0, 0, 0],
    failed: [0, 0, 1, 0, 0],
    'gave-up': [0, 0, 0, 0, 1],
  })
  const { steps } = await trace(world.log, messageId)
  const last = (name: string) => steps.findLast(({ subscription }) => subscription === name)?.state
  expect(['done', 'working', 'failed', 'gave-up'].map(last)).toEqual([
    'Committed',
    'Inflight',
    'WaitingRetry',
    'DLQ',
  ])
})

it('[RMQ-17] the retries of one group follow its own table and do not reach the others', async () => {
  await using world = await createWorld()
  await topic(world, 'steady', 'shaky')
  const steady = await world.consumer('topic', () => {}, { subscription: 'steady' })
  let failures = 0
  const shaky = await world.consumer(
    'topic',
    () => {
      if (failures++ < 2) throw new Error('not yet')
    },
    { subscription: 'shaky' },
  )
  await world.send('topic', 'x')
  await world.advance('2 minutes')
  expect(steady.of('x')).toEqual([{ at: 0, attempt: 1 }])
  expect(shaky.of('x')).toEqual([
    { at: 0, attempt: 1 },
    { at: 10, attempt: 2 },
    { at: 40, attempt: 3 },
  ])
})

it('[RMQ-17] within a group each message goes to one consumer, and each group gets all of them', async () => {
  await using world = await createWorld()
  await topic(world, 'billing', 'audit')
  const consumers: { subscription: string; seen: Awaited<ReturnType<World['consumer']>> }[] = []
  for (const subscription of ['billing', 'billing', 'audit', 'audit', 'audit']) {
    const handler = () => world.sleep('1 second')
    const seen = await world.consumer('topic', handler, { subscription, batchMessages: 1 })
    consumers.push({ subscription, seen })
  }
  const bodies = Array.from({ length: 30 }, (_, i) => `m${i}`)
  await world.sendBatch('topic', bodies)
  await world.advance('1 minute')
  for (const group of ['billing', 'audit']) {
    const seen = consumers.filter((c) => c.subscription === group).map((c) => c.seen)
    const got = seen.flatMap(({ batches }) => batches.flatMap((batch) => batch.bodies))
    expect(got.toSorted()).toEqual(bodies.toSorted())
    for (const { sizes } of seen) expect(sizes.length).toBeGreaterThan(0)
  }
})

it('[RMQ-17] a new group begins with what is sent from then on, and a slow one loses nothing', async () => {
  await using world = await createWorld()
  await topic(world, 'slow')
  await world.sendBatch('topic', ['1', '2'])
  await world.client.queues.subscriptions.create('topic', 'new')
  await world.send('topic', '3')
  await world.restart('crash', '1 minute')
  const texts = async (subscription: string) =>
    (await world.receive('topic', { subscription, max: 10 })).map((message) => message.text())
  expect(await texts('new')).toEqual(['3'])
  await world.advance('1 day')
  expect(await texts('slow')).toEqual(['1', '2', '3'])
})
