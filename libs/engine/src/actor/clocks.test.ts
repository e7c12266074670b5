import { createMemoryLog, decodeRecord } from '@kiroku/log'
import { snapshot, stateHash } from '@kiroku/partition'
import type { Command } from '@kiroku/protocol'
import { ManualTime } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { load } from '../checkpoint/load.ts'
import { body, by, receive, startTestNode } from '../testing/startTestNode.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const beginning = Date.UTC(2026, 0, 1)

/** A log whose store and whose nodes have clocks of their own, which may be wrong. */
const createScene = () => {
  const time = new ManualTime()
  time.wallFromMs = beginning
  const store = { offMs: 0 }
  const log = createMemoryLog(
    { partitions: 1 },
    {
      now: () => beginning + store.offMs + time.now(),
      schedule: (ms, run) => (ms === 0 ? queueMicrotask(run) : void time.after(ms, run)),
    },
  )
  let nodes = 0
  let sends = 0
  const troubles: string[] = []
  const start = async () => {
    const onTrouble = (_: number, what: string) => void troubles.push(what)
    const one = await startTestNode(log, `node-${++nodes}`, { time, onTrouble })
    const send = (delayMs = 0) =>
      one.ask({
        type: 'Enqueue',
        queue: 'mail',
        producer: 'p',
        send: ++sends,
        messages: [body('1')],
        delayMs,
      })
    const counts = async () => (await one.ask({ type: 'DescribeQueue', queue: 'mail' })).counts
    const clock = async () => (await one.ask({ type: 'DescribePartition' })).clock!
    const confirm = (clock: 'store' | 'node') => one.ask({ type: 'ConfirmClock', clock, by })
    return { ...one, actor: one.node.actors.get(0)!, send, counts, clock, confirm }
  }
  /** What is recorded of the time, and whether a replay comes to the same state. */
  const resumed = async () => {
    const handle = await log.partition(0)
    const events = []
    for await (const { data } of handle.read(1)) {
      const record = decodeRecord(data)
      if (record.kind === 'frame') events.push(...record.events.filter((e) => e.type === 'ClockResumed'))
    }
    return events
  }
  return { time, store, log, start, resumed, troubles }
}

/** Less than the clocks are off by, and short: owners do something every few seconds of it. */
const retentionMs = 6 * hourMs
const create: Command = { type: 'CreateQueue', queue: 'mail', config: { retentionMs }, by }

/** One message waits, one is delayed by an hour, one is leased for ten minutes. */
const withWork = async () => {
  const scene = createScene()
  const one = await scene.start()
  await one.ask(create as never)
  await one.send()
  await one.ask({ ...receive('mail', 1), leaseMs: 600_000 })
  await one.send()
  await one.send(hourMs)
  await scene.time.advance(1_000)
  return { scene, one }
}

describe('a take-over while the clock of NATS is five days ahead', () => {
  it('discards nothing, lets nothing out early, and ends leases in time', async () => {
    const { scene, one } = await withWork()
    const { time, store } = scene
    await one.close()
    store.offMs = 5 * dayMs
    const two = await scene.start()
    await time.advance(5_000)
    expect(await two.counts()).toMatchObject({ available: 1, delayed: 1, inflight: 1, discarded: 0 })
    // What is asked goes on by the last certain time.
    await two.send()
    expect((await two.ask(receive('mail', 1))).delivery!.now).toBeCloseTo(beginning + 6_000, -2)
    await time.advance(600_000)
    expect((await two.counts()).inflight).toBe(0)
    // Right again at the next take-over: time is what it was all the while.
    await two.close()
    store.offMs = 0
    const three = await scene.start()
    expect(await three.clock()).toMatchObject({ state: 'agreed' })
    expect(three.actor.now()).toBeCloseTo(beginning + time.now(), -2)
    await time.advance(hourMs - 600_000)
    expect(await three.counts()).toMatchObject({ available: 4, delayed: 0, discarded: 0 })
    await three.close()
  })

  it('is told with both clocks and what to do', async () => {
    const { scene, one } = await withWork()
    await one.close()
    scene.store.offMs = 5 * dayMs
    const two = await scene.start()
    await scene.time.advance(1)
    expect(await two.clock()).toMatchObject({ state: 'disputed', nodeMs: beginning + scene.time.now() })
    const { storeMs, partitionMs } = await two.clock()
    expect(storeMs).toBe(beginning + 5 * dayMs + scene.time.now())
    expect(partitionMs).toBeCloseTo(beginning + scene.time.now(), -2)
    expect(scene.troubles).toEqual([expect.stringContaining('2026-01-06')])
    expect(scene.troubles[0]).toContain('kiroku cluster clock --accept')
    await two.close()
  })

  it('ends by itself once the clocks agree, without another owner', async () => {
    const { scene, one } = await withWork()
    await one.close()
    scene.store.offMs = 5 * dayMs
    const two = await scene.start()
    await scene.time.advance(30_000)
    expect(await two.clock()).toMatchObject({ state: 'disputed' })
    scene.store.offMs = 0
    await scene.time.advance(11_000)
    expect(await two.clock()).toMatchObject({ state: 'agreed' })
    expect(two.actor.now()).toBeCloseTo(beginning + scene.time.now(), -2)
    expect(await two.counts()).toMatchObject({ available: 1, delayed: 1, inflight: 1, discarded: 0 })
    await two.close()
  })
})

it('what an operator decided is the time of the next owner too, whose frames do not go back behind it', async () => {
  const { scene, one } = await withWork()
  await one.close()
  scene.store.offMs = 5 * dayMs
  const two = await scene.start()
  expect(await two.confirm('store')).toMatchObject({ steppedMs: expect.any(Number) })
  // Dies at once: nothing stands behind the step.
  const three = await scene.start()
  let at = 0
  const log = await scene.log.partition(0)
  for await (const { data } of log.read(1)) {
    const record = decodeRecord(data)
    if (record.kind !== 'frame') continue
    expect(record.at).toBeGreaterThanOrEqual(at)
    at = record.events.reduce((max, e) => (e.type === 'ClockResumed' ? Math.max(max, e.now) : max), record.at)
  }
  expect(at).toBeGreaterThanOrEqual(beginning + 5 * dayMs)
  await three.close()
})

describe('a message that is known by its content, sent while the clocks disagree', () => {
  it('is still known when the next owner takes a small step that is longer than the window', async () => {
    const { scene, one } = await withWork()
    const { time, store } = scene
    const dedup = { dedup: 'content', dedupWindowMs: 60_000 } as const
    await one.ask({ type: 'CreateQueue', queue: 'once', config: dedup, by })
    await one.close()
    time.wallFromMs += dayMs
    const send = (to: typeof one, send: number) =>
      to.ask({ type: 'Enqueue', queue: 'once', producer: 'q', send, messages: [body('x')] })
    const two = await scene.start()
    expect(await two.clock()).toMatchObject({ state: 'disputed' })
    await send(two, 1)
    await two.close()
    store.offMs = 4 * 60_000
    const three = await scene.start()
    await time.advance(1_000)
    expect(await send(three, 2)).toMatchObject({ first: 1, numbers: [1, 1] })
    await time.advance(60_000)
    expect(await send(three, 3)).toMatchObject({ first: 2 })
    await three.close()
  })
})

describe('a word on the clocks', () => {
  it('moves nothing where they agree, though the one it names is some minutes ahead', async () => {
    const { scene, one } = await withWork()
    scene.time.wallFromMs += 240_000
    expect(await one.confirm('node')).toEqual({ steppedMs: 0 })
    expect(one.actor.now()).toBeCloseTo(beginning + scene.time.now(), -2)
    await one.close()
  })

  it('is answered to each who gives it at the same moment, and the first one counts', async () => {
    const { scene, one } = await withWork()
    await one.close()
    scene.store.offMs = 5 * dayMs
    const two = await scene.start()
    const words = (['node', 'store'] as const).map((clock): Command => ({ type: 'ConfirmClock', clock, by }))
    const { answers } = await two.node.request(0, words)
    expect(answers).toMatchObject([{ ok: { steppedMs: expect.any(Number) } }, { ok: { steppedMs: 0 } }])
    expect(two.actor.now()).toBeCloseTo(beginning + scene.time.now(), -2)
    expect(await scene.resumed()).toContainEqual(expect.objectContaining({ clock: 'node' }))
    await two.close()
  })
})

describe('a word on the clocks whose record is lost', () => {
  it('ends no lease, lets nothing out and discards nothing', async () => {
    const { scene, one } = await withWork()
    const { time, store, log } = scene
    await one.close()
    store.offMs = 5 * dayMs
    const two = await scene.start()
    await time.advance(1_000)
    log.faults.onAppend(0, 'displaced')
    await expect(two.confirm('store')).rejects.toThrow('Unavailable')
    await time.advance(1_000)
    expect(two.actor.epoch).toBe(3)
    expect(await two.counts()).toMatchObject({ available: 1, delayed: 1, inflight: 1, discarded: 0 })
    expect(two.actor.now()).toBeCloseTo(beginning + time.now(), -2)
    expect(await two.clock()).toMatchObject({ state: 'disputed' })
    // Said again, it counts.
    expect((await two.confirm('store')).steppedMs).toBeGreaterThan(4 * dayMs)
    await two.close()
  })
})

describe('five days without an owner', () => {
  it('are a step like any other where the clocks agree', async () => {
    const { scene, one } = await withWork()
    await one.close()
    await scene.time.advance(5 * dayMs)
    const two = await scene.start()
    await scene.time.advance(1_000)
    expect(await two.clock()).toMatchObject({ state: 'agreed' })
    // The lease is lengthened, what waited is too old.
    expect(await two.counts()).toMatchObject({ inflight: 1, discarded: 2 })
    await two.close()
  })

  const afterTheGap = async () => {
    const { scene, one } = await withWork()
    await one.close()
    await scene.time.advance(5 * dayMs)
    scene.time.wallFromMs -= 5 * dayMs
    const two = await scene.start()
    await two.send()
    await two.send(hourMs)
    await scene.time.advance(60_000)
    expect(await two.counts()).toMatchObject({ available: 2, delayed: 2, inflight: 1, discarded: 0 })
    return { scene, two }
  }

  it('are confirmed by a word, which ages what was there and nothing that came since', async () => {
    const { scene, two } = await afterTheGap()
    expect(await two.confirm('store')).toEqual({ steppedMs: 5 * dayMs - 1 })
    expect(await two.clock()).toMatchObject({ state: 'agreed' })
    await scene.time.advance(1_000)
    // What waited is too old, and what was delayed is due; the lease goes on, and so does what came since.
    expect(await two.counts()).toMatchObject({ available: 2, delayed: 1, inflight: 1, discarded: 1 })
    await scene.time.advance(hourMs - 120_000)
    expect(await two.counts()).toMatchObject({ available: 2, delayed: 1, inflight: 0, discarded: 2 })
    await scene.time.advance(120_000)
    expect(await two.counts()).toMatchObject({ available: 3, delayed: 0, inflight: 0, discarded: 2 })
    expect(await scene.resumed()).toContainEqual(expect.objectContaining({ clock: 'store', by }))
    await scene.time.advance(retentionMs - hourMs - 70_000)
    expect(await two.counts()).toMatchObject({ available: 3, discarded: 2 })
    await scene.time.advance(20_000)
    expect(await two.counts()).toMatchObject({ available: 0, discarded: 5 })
    await two.close()
  })

  it('are not counted where the word is that the node is right', async () => {
    const { scene, two } = await afterTheGap()
    expect((await two.confirm('node')).steppedMs).toBeLessThan(2_000)
    expect(await two.clock()).toMatchObject({ state: 'agreed' })
    await scene.time.advance(1_000)
    expect(await two.counts()).toMatchObject({ available: 2, delayed: 2, inflight: 1, discarded: 0 })
    await two.close()
  })

  it('age nothing that came while the clocks disagreed, also where the next owner finds them agreed', async () => {
    const { scene, two } = await afterTheGap()
    await two.close()
    scene.time.wallFromMs += 5 * dayMs
    const three = await scene.start()
    await scene.time.advance(1_000)
    expect(await three.clock()).toMatchObject({ state: 'agreed' })
    expect(await three.counts()).toMatchObject({ available: 2, delayed: 1, inflight: 1, discarded: 1 })
    // A frame, so that no turn without one has moved the time on.
    await three.send()
    const { lastSeq } = await (await scene.log.partition(0)).state()
    const replayed = await load(await scene.log.partition(0), lastSeq)
    expect(stateHash(snapshot(replayed.state))).toBe(stateHash(snapshot(three.actor.state)))
    await three.close()
  })
})

describe('the clock of a node', () => {
  it('decides nothing where the store says that no time went by', async () => {
    const { scene, one } = await withWork()
    await one.close()
    scene.time.wallFromMs += 5 * dayMs
    const two = await scene.start()
    await scene.time.advance(1_000)
    expect(await two.clock()).toMatchObject({ state: 'disputed' })
    expect(two.actor.now()).toBeCloseTo(beginning + scene.time.now(), -2)
    expect(await two.counts()).toMatchObject({ available: 1, delayed: 1, inflight: 1, discarded: 0 })
    await two.close()
  })

  it('is no matter where it is a few minutes off', async () => {
    const { scene, one } = await withWork()
    await one.close()
    await scene.time.advance(5 * dayMs)
    scene.time.wallFromMs -= 299_000
    const two = await scene.start()
    expect(await two.clock()).toMatchObject({ state: 'agreed' })
    await two.close()
  })
})

describe('partition time that is ahead of both clocks', () => {
  it('is told, and goes on no faster than the truth', async () => {
    const { scene, one } = await withWork()
    // As a version left it that believed the store.
    scene.time.wallFromMs += 5 * dayMs
    scene.store.offMs = 5 * dayMs
    await one.close()
    const two = await scene.start()
    await two.send()
    await two.close()
    scene.time.wallFromMs -= 5 * dayMs
    scene.store.offMs = 0
    const three = await scene.start()
    const before = three.actor.now()
    await scene.time.advance(1_000)
    expect(await three.clock()).toMatchObject({ state: 'ahead' })
    expect(three.actor.now() - before).toBe(1_000)
    await three.close()
  })
})
