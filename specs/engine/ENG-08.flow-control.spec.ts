import { describe, expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i + 1}`)

/** Everything was handled once, and nothing was retried or lost. */
const expectNoAttemptSpent = async (world: World, queue: string, count: number): Promise<void> =>
  expect(await world.counts(queue)).toMatchObject({
    committed: count,
    redelivered: 0,
    deadLettered: 0,
    discarded: 0,
  })

describe('a rate limit', () => {
  it('[ENG-08] delivers no more than its rate of messages per second, and costs no attempt', async () => {
    await using world = await createWorld()
    await world.queue('mail', { rateMax: 10, batchWaitMs: 0, retriesMax: 0 })
    await world.sendBatch('mail', numbered(100))
    const consumer = await world.consumer('mail', () => {}, { concurrency: 4 })
    await world.advance('5 seconds')
    expect(consumer.batches.flatMap((batch) => batch.bodies)).toHaveLength(50)
    for (let second = 0; second < 5; second++) {
      const within = consumer.batches.filter(({ at }) => at > second && at <= second + 1)
      expect(within.flatMap((batch) => batch.bodies)).toHaveLength(10)
    }
    await world.advance('5 seconds')
    expect(consumer.batches.every((batch) => batch.attempts.every((attempt) => attempt === 1))).toBe(true)
    await expectNoAttemptSpent(world, 'mail', 100)
  })

  it('[ENG-08] fills batches as far as they wait for it', async () => {
    await using world = await createWorld()
    await world.queue('mail', { rateMax: 10, batchMessages: 5, batchWaitMs: 2_000 })
    await world.sendBatch('mail', numbered(20))
    const consumer = await world.consumer('mail')
    await world.advance('2 seconds')
    expect(consumer.sizes).toEqual([5, 5, 5, 5])
    expect(consumer.batches.map(({ at }) => at)).toEqual([0.5, 1, 1.5, 2])
  })

  it('[ENG-08] is not exceeded by a change of owner', async () => {
    await using world = await createWorld()
    await world.queue('mail', { rateMax: 5 })
    await world.sendBatch('mail', numbered(100))
    await world.advance('1 minute')
    expect(await world.receive('mail', { max: 100 })).toHaveLength(5)
    await world.restart('crash')
    expect(await world.receive('mail', { max: 100 })).toEqual([])
    await world.advance('1 second')
    expect(await world.receive('mail', { max: 100 })).toHaveLength(5)
  })

  it('[ENG-08] can be changed and lifted while consumers run', async () => {
    await using world = await createWorld()
    await world.queue('mail', { rateMax: 1, batchWaitMs: 0 })
    await world.sendBatch('mail', numbered(100))
    const consumer = await world.consumer('mail')
    await world.advance('10 seconds')
    expect(consumer.batches).toHaveLength(10)
    await world.client.queues.update('mail', { rateMax: 2 })
    await world.advance('10 seconds')
    expect(consumer.batches).toHaveLength(30)
    await world.client.queues.update('mail', { rateMax: 0 })
    await world.advance('1 second')
    await expectNoAttemptSpent(world, 'mail', 100)
  })
})

describe('a limit of messages in flight', () => {
  it('[ENG-08] holds whatever many consumers ask for, and all is delivered in the end at the first attempt', async () => {
    await using world = await createWorld()
    await world.queue('mail', { inflightMax: 7, batchWaitMs: 0, retriesMax: 0 })
    await world.sendBatch('mail', numbered(50))
    let most = 0
    const work = async (): Promise<void> => {
      most = Math.max(most, (await world.counts('mail')).inflight)
      await world.sleep('1 second')
    }
    for (let i = 0; i < 5; i++) await world.consumer('mail', work, { concurrency: 2 })
    await world.advance('1 minute')
    expect(most).toBe(7)
    await expectNoAttemptSpent(world, 'mail', 50)
  })
})

describe('a limit of deliveries in flight', () => {
  it('[ENG-08] limits the batches handled concurrently, over all consumers', async () => {
    await using world = await createWorld()
    await world.queue('mail', { concurrencyMax: 2, batchMessages: 5, batchWaitMs: 0, retriesMax: 0 })
    await world.sendBatch('mail', numbered(50))
    let running = 0
    let most = 0
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running)
      await world.sleep('1 second')
      running--
    }
    for (let i = 0; i < 3; i++) await world.consumer('mail', work, { concurrency: 3 })
    await world.advance('10 seconds')
    expect(most).toBe(2)
    await expectNoAttemptSpent(world, 'mail', 50)
  })

  it('[ENG-08] has room again when a consumer that died loses its leases', async () => {
    await using world = await createWorld()
    await world.queue('mail', { concurrencyMax: 1, batchMessages: 2, batchWaitMs: 0, leaseMs: 10_000 })
    await world.sendBatch('mail', numbered(4))
    expect(await world.receive('mail', { max: 2 })).toHaveLength(2)
    const consumer = await world.consumer('mail')
    await world.advance('9 seconds')
    expect(consumer.batches).toEqual([])
    await world.advance('2 seconds')
    expect(consumer.batches.map((batch) => batch.attempts)).toEqual([
      [2, 2],
      [1, 1],
    ])
  })
})
