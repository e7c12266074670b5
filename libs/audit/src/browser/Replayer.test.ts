import { snapshot, stateHash } from '@kiroku/partition'
import { sumCounts } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordingOf, type RecordingOptions } from '../past/recordingOf.ts'
import { repair } from '../repair/repair.ts'
import { Replay } from '../replay/Replay.ts'
import { ask, lastFrame, receive, send, tester } from '../testing/TestRecord.ts'
import { Replayer } from './Replayer.ts'
import { encodeRecording } from './recordingBytes.ts'

let engine: MemoryEngine
const look = { decodeCheckpoint, now: Number.MAX_SAFE_INTEGER }
const lastSeq = async () => (await lastFrame(engine.log, 0)).seq

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 1, checkpoints: { bytesMin: 30_000, ageMs: 1e9 } })
  await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: {}, by: tester })
})
afterEach(() => engine.close())

const record = async (seq: number, more: Partial<RecordingOptions> = {}) =>
  encodeRecording(await recordingOf(engine.log, 'mail', { seq }, { ...look, ...more }))

/** Opens a replay and reads it to the end of the log. */
const replay = async (seq: number, framesMax = 10): Promise<Replayer> => {
  const replayer = Replayer.open(await record(seq, { withState: true, framesMax }))
  while (!replayer.reachesEnd) replayer.extend(await record(replayer.next, { framesMax }))
  return replayer
}

/** Sends and settles until the log has that many more frames. */
const live = async (frames: number): Promise<void> => {
  for (let i = 0; i < frames; i += 3) {
    await send(engine, 0, 'mail', `text ${i}`)
    await ask(engine, 0, { type: 'Ack', items: (await receive(engine, 0, 'mail', 1)).items })
  }
}

const hashAt = async (seq: number): Promise<string> => {
  const pass = await Replay.open(await engine.log.partition(0), { decodeCheckpoint })
  await pass.run(seq)
  return stateHash(snapshot(pass.state))
}

describe('a replay', () => {
  it('reports what happened on the way, which adds up to the counts', async () => {
    const begin = await lastSeq()
    await live(30)
    const replayer = await replay(begin)
    let counts = replayer.queue('mail')!.counts
    for (let move = replayer.step(1); move !== undefined; move = replayer.step(1))
      for (const { change } of move.changes!) counts = sumCounts(counts, change)
    expect(replayer.queue('mail')!.counts).toEqual(counts)
    expect(counts).toMatchObject({ sent: 10, committed: 10 })
    expect(replayer.seek({ seq: begin }).changes).toBeUndefined()
    const [all] = replayer.seek({ seq: await lastSeq() }).changes!
    expect(all).toMatchObject({ queue: 'mail', change: { sent: 10, committed: 10 } })
    expect(all!.transitions).toEqual([
      { from: 'New', to: 'Available', count: 10 },
      { from: 'Available', to: 'Inflight', count: 10 },
      { from: 'Inflight', to: 'Committed', count: 10 },
    ])
  })

  it('begins a little earlier than the moment, and ends a little later', async () => {
    await live(300)
    const asked = (await lastSeq()) - 30
    const replayer = Replayer.open(await record(asked, { withState: true, framesMax: 10 }))
    expect(replayer.position.seq).toBe(asked)
    expect(replayer.range).toMatchObject({ from: { seq: asked - 200 }, to: { seq: asked + 10 } })
    expect(replayer.reachesEnd).toBe(false)
    expect(replayer.covers({ seq: asked + 10 })).toBe(true)
    expect(replayer.covers({ seq: asked + 11 })).toBe(false)
    expect(replayer.step(-1)!.seq).toBe(asked - 1)
    const limited = Replayer.open(await record(asked, { withState: true, workMax: 4 }))
    expect(limited.range.to.seq).toBeLessThan(asked + 5)
  })

  it('is found by time, and stops at the end of its range', async () => {
    await live(30)
    const replayer = await replay(await lastSeq())
    const { from, to } = replayer.range
    expect(replayer.seek({ at: from.at - 1 })).toMatchObject(from)
    expect(replayer.seek({ at: to.at + 1 })).toMatchObject(to)
    const { seq } = replayer.seek({ at: (from.at + to.at) / 2 })
    expect(replayer.position.at).toBeLessThanOrEqual((from.at + to.at) / 2)
    expect(replayer.seek({ seq })).toMatchObject({ seq, changes: [] })
  })

  it('forgets its oldest steps when it holds too much, and keeps its position', async () => {
    await live(300)
    const limits = { workMax: 200, keyframeWork: 10 }
    const replayer = Replayer.open(await record(20, { withState: true, framesMax: 10 }), limits)
    while (!replayer.reachesEnd) {
      replayer.seek({ seq: replayer.range.to.seq })
      const { hash, position } = replayer
      replayer.extend(await record(replayer.next, { framesMax: 10 }))
      expect(replayer).toMatchObject({ hash, position })
    }
    const { from, to } = replayer.range
    expect(from.seq).toBeGreaterThan(20)
    expect(to.seq).toBe(await lastSeq())
    replayer.seek({ seq: from.seq })
    expect(replayer.hash).toBe(await hashAt(from.seq))
  })

  it('refuses what is not a recording, and one that does not continue where it ends', async () => {
    await live(30)
    const replayer = Replayer.open(await record(10, { withState: true, framesMax: 5 }))
    expect(() => Replayer.open(new Uint8Array(20))).toThrow(/not a recording/)
    const elsewhere = await record(replayer.next + 1)
    expect(() => replayer.extend(elsewhere)).toThrow(/does not continue/)
    expect(() => Replayer.open(elsewhere)).toThrow(/a state/)
    const newer = await record(10, { withState: true })
    newer[3] = 9
    expect(() => Replayer.open(newer)).toThrow(expect.objectContaining({ id: 'FutureVersion' }))
  })
})

describe('a replay over a log that was repaired', () => {
  it('leaves out what the repair gave up', async () => {
    await live(15)
    const bad = (await lastSeq()) + 1
    await send(engine, 0, 'mail', 'lost')
    await live(6)
    await engine.close()
    engine.log.faults.damage(0, bad)
    await repair(engine.log, 0, { decodeCheckpoint, by: tester, note: 'the disk' })
    await engine.restart()
    await live(9)
    const replayer = await replay(4, 3)
    replayer.seek({ seq: await lastSeq() })
    expect(replayer.hash).toBe(await hashAt(await lastSeq()))
    replayer.seek({ seq: bad })
    expect(replayer.position.seq).toBe(bad - 1)
    expect(replayer.hash).toBe(await hashAt(bad - 1))
  })

  it('jumps to the checkpoint where damage was bridged, and back', async () => {
    await send(engine, 0, 'mail', 'early')
    const bad = (await lastSeq()) + 1
    await send(engine, 0, 'mail', 'lost')
    const partition = await engine.log.partition(0)
    while ((await partition.checkpoints.list()).length < 2) {
      await send(engine, 0, 'mail', 'x'.repeat(20_000))
      await waitUntil(() => engine.node().actors.get(0)!.life === 'Active')
    }
    await engine.close()
    engine.log.faults.damage(0, bad)
    const done = await repair(engine.log, 0, { decodeCheckpoint, by: tester, note: 'the disk' })
    expect(done.map(({ kind }) => kind)).toContain('bridge')
    await engine.restart()
    await live(9)
    const replayer = await replay(bad - 1, 2)
    expect(replayer.position.seq).toBe(bad - 1)
    const before = replayer.hash
    const { seq, changes } = replayer.step(1)!
    expect(seq).toBeGreaterThan(bad)
    expect(changes).toBeUndefined()
    expect(replayer.hash).toBe(await hashAt(seq))
    replayer.seek({ seq: await lastSeq() })
    expect(replayer.hash).toBe(await hashAt(await lastSeq()))
    replayer.seek({ seq: bad - 1 })
    expect(replayer.hash).toBe(before)
  })
})
