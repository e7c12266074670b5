import { createMemoryLog, encodeBodyRecord, encodeRecord, zeroHash, type BodyRef } from '@kiroku/log'
import { PartitionState, snapshot, type Snapshot } from '@kiroku/partition'
import type { LogEvent } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../sha256.ts'
import { encodeCheckpoint } from './CheckpointCodec.ts'
import { load } from './load.ts'

const owner: LogEvent = { type: 'OwnerChanged', epoch: 1, node: 'n', part: 1, of: 1 }
const large = new Uint8Array(100)

/** A log whose first frame is followed by a large body. */
const given = async () => {
  const log = createMemoryLog({ partitions: 1 })
  const part = await log.partition(0)
  let hash: Uint8Array = zeroHash
  const write = (record: { readonly bytes: Uint8Array; readonly hash: Uint8Array }): number => {
    hash = record.hash
    return log.faults.write(0, record.bytes)
  }
  const frame = (bodies: BodyRef[] = [], ...events: LogEvent[]): number =>
    write(
      encodeRecord({ epoch: 1, at: 1, events: [owner, ...events], sections: [{ queue: 1, bodies }] }, hash),
    )
  frame()
  const seq = write(encodeBodyRecord({ epoch: 1, body: large }, hash))
  const named = { seq, bytes: large.length, digest: () => sha256(large) }
  return { log, part, frame, named, hash: () => hash }
}

describe('a state that is rebuilt', () => {
  it('knows which record a frame names, in a log without a checkpoint', async () => {
    const { part, frame, named } = await given()
    const naming = frame([named])
    const { largeBodies } = await load(part, naming)
    expect(largeBodies.firstNeeded(naming)).toBe(named.seq)
  })

  it('knows which record a frame names that was under way when the checkpoint was made', async () => {
    const { part, frame, named, hash } = await given()
    const at = frame()
    const state = new PartitionState(0)
    state.epoch = 1
    const { bytes } = encodeCheckpoint(snapshot(state), at, hash(), [at, named.seq])
    await part.checkpoints.put(at, bytes)
    const naming = frame([named])
    const { checkpointSeq, largeBodies } = await load(part, naming)
    expect(checkpointSeq).toBe(at)
    expect(largeBodies.firstNeeded(naming)).toBe(named.seq)
  })

  it('is not that of a checkpoint which differs from the one that the log names in its large bodies alone', async () => {
    const { part, frame, named, hash } = await given()
    const at = frame()
    const state = new PartitionState(0)
    state.epoch = 1
    const taken = snapshot(state)
    const { digest, stateHash } = encodeCheckpoint(taken, at, hash(), [at, named.seq])
    const other = encodeCheckpoint(taken, at, hash(), [])
    expect(other.stateHash).toBe(stateHash)
    await part.checkpoints.put(at, other.bytes)
    const last = frame([], { type: 'Checkpointed', seq: at, digest, stateHash })
    const { checkpointSeq, passedOver } = await load(part, last)
    expect(checkpointSeq).toBe(0)
    expect(passedOver).toEqual([{ seq: at, why: expect.stringContaining('names another one') }])
  })

  it('is not that of a checkpoint which lies in the place of another', async () => {
    const { part, frame, hash } = await given()
    const at = frame()
    const state = new PartitionState(0)
    state.epoch = 1
    const { bytes } = encodeCheckpoint(snapshot(state), at + 1, hash(), [])
    await part.checkpoints.put(at, bytes)
    const { checkpointSeq, passedOver } = await load(part, at)
    expect(checkpointSeq).toBe(0)
    expect(passedOver).toEqual([{ seq: at, why: `it is of record ${at + 1}` }])
  })
})

describe('a checkpoint that a newer version stored', () => {
  const by = { name: 'tester', origin: 'test' }
  const queue: LogEvent = { type: 'QueueCreated', queue: 1, name: 'mail', config: {}, by }

  /** A log whose checkpoint stands on a record with a queue, and is changed by `change`. */
  const withCheckpoint = async (change: (taken: Snapshot) => object) => {
    const { log, part, frame, hash } = await given()
    const at = frame([], queue)
    const { state } = await load(part, at)
    const taken = change(snapshot(state)) as Snapshot
    await part.checkpoints.put(at, encodeCheckpoint(taken, at, hash(), []).bytes)
    return { log, part, at, last: frame() }
  }
  const newer = (taken: Snapshot) => ({ ...taken, version: 99 })

  it('is passed over, and the log is replayed', async () => {
    const { part, at, last } = await withCheckpoint(newer)
    const { state, checkpointSeq, passedOver } = await load(part, last)
    expect([...state.names.keys()]).toEqual(['mail'])
    expect(checkpointSeq).toBe(0)
    expect(passedOver).toEqual([
      { seq: at, why: expect.stringMatching(/has version 99/), id: 'FutureVersion' },
    ])
  })

  it('is refused and not taken for damage where the log begins behind it', async () => {
    const { part, at, last } = await withCheckpoint(newer)
    await part.trim(at - 1)
    await expect(load(part, last)).rejects.toMatchObject({
      id: 'FutureVersion',
      message: expect.stringMatching(/partition 0.*checkpoint.*version 99.*install that version/),
    })
  })

  it('is refused for a setting that is not known, although its version is', async () => {
    const { part, last } = await withCheckpoint((taken) => ({
      ...taken,
      queues: taken.queues.map((q) => ({ ...q, config: { ...q.config, weather: 'blue' } })),
    }))
    await expect(load(part, last)).rejects.toMatchObject({
      id: 'FutureVersion',
      message: expect.stringContaining('setting weather'),
    })
  })
})
