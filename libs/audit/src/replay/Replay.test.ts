import { snapshot, stateHash, type PartitionState } from '@kiroku/partition'
import type { LogEventType } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { planRepair, repair } from '../repair/repair.ts'
import { MemorySavedStates } from '../testing/MemorySavedStates.ts'
import { ask, lastFrame, receive, send, tester } from '../testing/TestRecord.ts'
import { Replay, type ReplayListener, type ReplayOptions } from './Replay.ts'

let engine: MemoryEngine

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 1, checkpoints: { bytesMin: 30_000, ageMs: 1e9 } })
  await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: {}, by: tester })
})
afterEach(() => engine.close())

const hashOf = (state: PartitionState): string => stateHash(snapshot(state))
const liveHash = (): string => hashOf(engine.node().actors.get(0)!.state)
const lastSeq = async () => (await lastFrame(engine.log, 0)).seq
const open = async (options: Partial<ReplayOptions> = {}) =>
  Replay.open(await engine.log.partition(0), { decodeCheckpoint, ...options })
const everything = { work: 0.01, bytes: Infinity }

/** Some lives: three sent, one delivered and acknowledged. */
const live = async (): Promise<void> => {
  await send(engine, 0, 'mail', 'a', 'b', 'c')
  await ask(engine, 0, { type: 'Ack', items: (await receive(engine, 0, 'mail', 1)).items })
}

describe('a pass', () => {
  it('reaches the state of the engine, and continues from there', async () => {
    await live()
    const pass = await open()
    await pass.run()
    expect(hashOf(pass.state)).toBe(liveHash())
    await live()
    await pass.run()
    expect(hashOf(pass.state)).toBe(liveHash())
    expect(pass.seq).toBe(await lastSeq())
  })

  it('stops at the requested sequence', async () => {
    await live()
    const pass = await open()
    await pass.run((await lastSeq()) - 1)
    expect(pass.state.queues.get(1)!.subs[0]).toMatchObject({ inflight: 1, committed: 0 })
    await pass.run()
    expect(pass.state.queues.get(1)!.subs[0]).toMatchObject({ inflight: 0, committed: 1 })
  })

  it('shows each event with the state just before it', async () => {
    await live()
    const seen: [LogEventType, number][] = []
    const listener: ReplayListener = {
      event: (e, _, __, state) => void seen.push([e.type, state.queues.get(1)?.subs[0]?.inflight ?? -1]),
    }
    await (await open({ listeners: [listener] })).run()
    expect(seen.slice(-3)).toEqual([
      ['Enqueued', 0],
      ['Delivered', 0],
      ['Acked', 1],
    ])
  })

  it('waits for listeners and lets other work run', async () => {
    for (let i = 0; i < 5; i++) await send(engine, 0, 'mail', 'x')
    let [under, frames] = [0, 0]
    const frame = async (): Promise<void> => {
      expect(++under).toBe(1)
      await Promise.resolve()
      under--
      frames++
    }
    const pass = await open({ listeners: [{ frame }] })
    await pass.run()
    expect(frames).toBeGreaterThanOrEqual(6)
  })

  it('reports foreign records, and is not stopped by them', async () => {
    await live()
    await engine.close()
    const seq = engine.log.faults.write(0, new TextEncoder().encode('stray'))
    await engine.restart()
    const foreign: number[] = []
    const pass = await open({ listeners: [{ foreign: (n) => void foreign.push(n) }] })
    await pass.run(seq)
    await pass.run()
    expect(foreign).toEqual([seq])
    expect(hashOf(pass.state)).toBe(liveHash())
  })
})

describe('moments', () => {
  it('let a pass start close to its target', async () => {
    const moments = new MemorySavedStates()
    await live()
    await live()
    await (await open({ moments, keep: everything })).run()
    const near = (await lastSeq()) - 1
    const pass = await open({ moments, near })
    expect(pass.seq).toBe(near)
    await pass.run()
    expect(pass.events).toBe(1)
    expect(hashOf(pass.state)).toBe(liveHash())
  })

  it('are further apart where the state is large', async () => {
    for (let i = 0; i < 30; i++) await send(engine, 0, 'mail', 'x')
    await receive(engine, 0, 'mail', 30)
    for (let i = 0; i < 30; i++) await send(engine, 0, 'mail', 'x')
    const moments = new MemorySavedStates()
    await (await open({ moments, keep: { work: 5, bytes: Infinity } })).run()
    const works = (await moments.list(0)).map(({ work }) => work)
    const gaps = works.map((work, i) => work - (works[i - 1] ?? 0))
    expect(gaps.at(-1)).toBeGreaterThan(gaps[0]!)
  })

  it('of another log are dropped', async () => {
    const moments = new MemorySavedStates()
    await live()
    await (await open({ moments, keep: everything })).run()
    const { seq } = (await moments.list(0)).at(-1)!
    await moments.put({ ...(await moments.get(0, seq))!, hash: new Uint8Array(32) })
    const pass = await open({ moments, near: seq })
    expect(pass.seq).toBeLessThan(seq)
    expect(await moments.get(0, seq)).toBeUndefined()
    await pass.run()
    expect(hashOf(pass.state)).toBe(liveHash())
  })

  it('that a repair gave up are dropped, and a pass that saw them restarts before them', async () => {
    const moments = new MemorySavedStates()
    await live()
    const restarts: string[] = []
    const restarted: ReplayListener['restarted'] = (seq, reason) => void restarts.push(`${reason} ${seq}`)
    const pass = await open({ moments, keep: everything, listeners: [{ restarted }] })
    await pass.run()
    const bad = (await lastSeq()) + 1
    await send(engine, 0, 'mail', 'lost')
    await send(engine, 0, 'mail', 'lost too')
    await pass.run()
    await engine.close()
    engine.log.faults.damage(0, bad)
    await repair(engine.log, 0, { decodeCheckpoint, by: tester, note: 'the disk' })
    await engine.restart()
    await live()
    await pass.run()
    expect(restarts).toEqual([`rewound ${bad - 1}`])
    expect(hashOf(pass.state)).toBe(liveHash())
    const anew = await open({ moments, near: await lastSeq() })
    await anew.run()
    expect(hashOf(anew.state)).toBe(liveHash())
  })
})

describe('a damaged log', () => {
  it('ends the pass at the first bad sequence', async () => {
    await live()
    await engine.close()
    const bad = (await lastSeq()) - 1
    engine.log.faults.damage(0, bad)
    await expect((await open()).run()).rejects.toMatchObject({ id: 'LogDamaged', seq: bad })
  })

  it('that was repaired is passed over, and the pass says what it cannot enter', async () => {
    await live()
    await engine.close()
    const bad = await lastSeq()
    engine.log.faults.damage(0, bad)
    await repair(engine.log, 0, { decodeCheckpoint, by: tester, note: 'the disk' })
    await engine.restart()
    const lost: unknown[] = []
    const pass = await open({ listeners: [{ lost: (...args) => void lost.push(args.slice(0, 3)) }] })
    await pass.run(bad)
    expect(pass.seq).toBe(bad - 1)
    expect(pass.lost).toEqual({ seq: bad, upTo: bad, bridged: false })
    await pass.run()
    expect(lost).toEqual([[bad, bad, false]])
    expect(hashOf(pass.state)).toBe(liveHash())
  })

  it('that lost its end, and continued differently, is followed from before', async () => {
    await live()
    const pass = await open()
    await pass.run()
    await engine.close()
    engine.log.faults.loseTail(0, 1)
    await engine.restart()
    await live()
    await pass.run()
    expect(hashOf(pass.state)).toBe(liveHash())
  })
})

describe('with checkpoints', () => {
  const untilTwoStand = async (): Promise<[number, number]> => {
    const handle = await engine.log.partition(0)
    for (let i = 0; (await handle.checkpoints.list()).length < 2; i++)
      await send(engine, 0, 'mail', ...Array.from({ length: 20 }, (_, n) => `text ${n}`.repeat(20)))
    await waitUntil(() => engine.node().actors.get(0)!.state.checkpoints.length === 2)
    const [newer, older] = await handle.checkpoints.list()
    return [older!, newer!]
  }

  it('a trimmed log is passed from the oldest one', async () => {
    const [older] = await untilTwoStand()
    await (await engine.log.partition(0)).trim(older - 1)
    const pass = await open()
    expect(pass.seq).toBe(older)
    await pass.run()
    expect(hashOf(pass.state)).toBe(liveHash())
    await expect(open({ near: older - 1 })).rejects.toMatchObject({ id: 'BeyondRecord' })
  })

  it('moments that the record no longer reaches are dropped', async () => {
    const moments = new MemorySavedStates()
    const pass = await open({ moments, keep: everything })
    const [older] = await untilTwoStand()
    await pass.run()
    await (await engine.log.partition(0)).trim(older - 1)
    await send(engine, 0, 'mail', 'later')
    await pass.run()
    const seqs = (await moments.list(0)).map(({ seq }) => seq)
    expect(Math.min(...seqs)).toBe(older - 1)
    expect(seqs.length).toBeGreaterThan(1)
  })

  it('a pass that falls behind a trim says that it skips records', async () => {
    const restarts: string[] = []
    const restarted: ReplayListener['restarted'] = (seq, reason) => void restarts.push(`${reason} ${seq}`)
    const pass = await open({ listeners: [{ restarted }] })
    await pass.run(2)
    const [older] = await untilTwoStand()
    await (await engine.log.partition(0)).trim(older - 1)
    await pass.run()
    expect(restarts).toEqual([`skipped ${older}`])
    expect(hashOf(pass.state)).toBe(liveHash())
  })

  it('a range that a repair bridged is passed over by the checkpoint after it', async () => {
    const [older, newer] = await untilTwoStand()
    await engine.close()
    engine.log.faults.damage(0, older - 1)
    const plan = await planRepair(engine.log, 0, { decodeCheckpoint })
    expect(plan).toMatchObject({ kind: 'bridge' })
    await repair(engine.log, 0, { decodeCheckpoint, by: tester, note: 'the disk' })
    await engine.restart()
    const pass = await open()
    await pass.run(plan.upTo - 1)
    expect(pass.lost).toMatchObject({ seq: older - 1, bridged: true })
    await pass.run()
    expect(plan.upTo).toBe(newer)
    expect(hashOf(pass.state)).toBe(liveHash())
  })
})
