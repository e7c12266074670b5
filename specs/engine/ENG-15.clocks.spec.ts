import { describe, expect, it } from 'vitest'
import { decodeCheckpoint, liveTime } from '@kiroku/engine'
import { createClient, inProcess } from '@kiroku/client'
import { connect } from '@kiroku/nats'
import { openLog } from '@kiroku/log-jetstream'
import { readActs, verify } from '@kiroku/audit'
import { waitUntil, withNats } from '@kiroku/testkit'
import { createWorld, Engine, type World } from '../harness/index.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const ops = { name: 'olga', origin: 'test', reason: 'no NTP' }

/** A queue that keeps messages for four days, with one that waits, one that is delayed and one that is leased. */
const withWork = async (): Promise<World> => {
  const world = await createWorld()
  await world.queue('mail', { retentionMs: 4 * dayMs })
  await world.sendBatch('mail', ['leased', 'waits'])
  await world.receive('mail', { leaseMs: 600_000 })
  await world.send('mail', 'delayed', { delayMs: hourMs })
  await world.advance('1 second')
  return world
}

const clockOf = async (world: World) => (await world.client.partitions())[0]!.clock!

/** The record holds, by the law and by its checkpoints. */
const holds = async (world: World): Promise<void> => {
  const { partitions } = await verify(world.log, { decodeCheckpoint })
  expect(partitions.map(({ problem }) => problem)).toEqual([undefined])
}

describe('one take-over while the clock of NATS is five days ahead', () => {
  it('[ENG-15] discards nothing that waits, ends leases in time, lets nothing out early, and leaves no trace', async () => {
    await using world = await withWork()
    await world.engine.stop('drain')
    world.storeOffMs = 5 * dayMs
    await world.engine.start()

    // Everything continues by the last certain time
    await world.advance('10 minutes')
    expect(await world.counts('mail')).toMatchObject({ available: 2, delayed: 1, inflight: 0, discarded: 0 })
    await world.send('mail', 'meanwhile')
    expect(await clockOf(world)).toMatchObject({ state: 'disputed', storeMs: expect.any(Number) as number })

    // And nothing of it is left at the next take-over, when the clock is right again
    await world.engine.stop('drain')
    world.storeOffMs = 0
    await world.engine.start()
    await world.advance('1 hour')
    expect(await world.counts('mail')).toMatchObject({ available: 4, delayed: 0, discarded: 0 })
    const { state, partitionMs, nodeMs } = await clockOf(world)
    expect(state).toBe('agreed')
    expect(Math.abs(partitionMs - nodeMs)).toBeLessThan(100)
    await holds(world)
  })

  it("[ENG-15] ends once an operator says that the node's clock is right, on record", async () => {
    await using world = await withWork()
    await world.engine.stop('crash')
    world.storeOffMs = 5 * dayMs
    await world.engine.start()
    const [step] = await world.client.confirmClock('node', { by: ops })
    expect(step!.steppedMs).toBeLessThan(2_000)
    expect(await clockOf(world)).toMatchObject({ state: 'agreed' })
    await world.advance('1 second')
    expect(await world.counts('mail')).toMatchObject({ available: 1, delayed: 1, inflight: 1, discarded: 0 })
    const acts = await readActs(world.log, {}, { decodeCheckpoint })
    expect(acts).toContainEqual(expect.objectContaining({ event: 'ClockResumed', by: ops }))
    await holds(world)
  })
})

describe('five days without an owner, and a node whose clock stopped', () => {
  const afterTheGap = async (): Promise<World> => {
    const world = await withWork()
    await world.engine.stop('drain')
    await world.advance('5 days')
    world.time.wallFromMs -= 5 * dayMs
    await world.engine.start()
    await world.send('mail', 'meanwhile')
    await world.send('mail', 'meanwhile, delayed', { delayMs: hourMs })
    await world.advance('1 minute')
    expect(await world.counts('mail')).toMatchObject({ available: 2, delayed: 2, discarded: 0 })
    return world
  }

  it('[ENG-15] count for what was there, by a word, and not for what came since', async () => {
    await using world = await afterTheGap()
    expect((await world.client.confirmClock('store', { by: ops }))[0]!.steppedMs).toBeGreaterThan(4 * dayMs)
    await world.advance('1 second')
    expect(await world.counts('mail')).toMatchObject({ available: 2, delayed: 1, discarded: 1 })
    await world.advance('59 minutes')
    expect(await world.counts('mail')).toMatchObject({ available: 3, delayed: 0 })
    await holds(world)
  })

  it('[ENG-15] count without a word once the clocks agree', async () => {
    await using world = await afterTheGap()
    world.time.wallFromMs += 5 * dayMs
    await world.advance('11 seconds')
    expect(await clockOf(world)).toMatchObject({ state: 'agreed' })
    expect(await world.counts('mail')).toMatchObject({ available: 2, delayed: 1, discarded: 1 })
    await holds(world)
  })
})

describe('the idle time of a living owner', () => {
  it('[ENG-15] is not added to a lease by hand-overs, however many', async () => {
    await using world = await createWorld()
    await world.queue('mail')
    await world.send('mail', 'x')
    await world.receive('mail', { leaseMs: 12 * hourMs })
    for (let i = 0; i < 11; i++) {
      await world.advance('1 hour')
      await world.restart('drain')
    }
    await world.advance('59 minutes')
    expect(await world.counts('mail')).toMatchObject({ inflight: 1 })
    await world.advance('61 seconds')
    expect(await world.counts('mail')).toMatchObject({ inflight: 0, available: 1 })
  })
})

describe('with a real nats-server and a node whose clock is wrong', () => {
  const nats = withNats()

  it('[ENG-15] nothing that waits is touched before an operator says which clock is right', async () => {
    const nc = await connect({ servers: nats().url })
    const log = await openLog(nc, { name: 'clocks', create: { partitions: 1 } })
    const clock = { offMs: 0 }
    const time = { ...liveTime, wallMs: () => Date.now() + clock.offMs }
    const engine = new Engine({ log, time })
    await engine.start()
    const client = createClient(inProcess(engine))
    const counts = async () => (await client.queues.describe('mail')).counts
    try {
      await client.queues.create('mail', { retentionMs: 4 * dayMs })
      await client.send('mail', 'waits')
      await client.send('mail', 'delayed', { delayMs: hourMs })
      await engine.stop('drain')
      clock.offMs = 5 * dayMs
      await engine.start()
      expect((await client.partitions())[0]!.clock).toMatchObject({ state: 'disputed' })
      await client.send('mail', 'meanwhile')
      expect(await counts()).toMatchObject({ available: 2, delayed: 1, discarded: 0 })
      const [step] = await client.confirmClock('node')
      expect(step!.steppedMs).toBeGreaterThan(4 * dayMs)
      await waitUntil(async () => (await counts()).discarded === 1)
      expect(await counts()).toMatchObject({ available: 2, delayed: 0, discarded: 1 })
      expect((await client.partitions())[0]!.clock).toMatchObject({ state: 'agreed' })
      const { partitions } = await verify(log, { decodeCheckpoint })
      expect(partitions[0]!.problem).toBeUndefined()
    } finally {
      await client.close()
      await engine.stop('drain')
      await log.close()
      await nc.close()
    }
  })
})
