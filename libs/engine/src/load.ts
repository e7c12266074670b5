import { setImmediate as nextTick } from 'node:timers/promises'
import { KirokuError, isKirokuError } from '@kiroku/message'
import { ChainError, readChain, type ChainAnchor, type PartitionLog } from '@kiroku/log'
import { beginFrame, evolve, firstMissing, oldestBodySeq, PartitionState, restore } from '@kiroku/partition'
import { decodeCheckpoint, type Checkpoint } from './CheckpointCodec.ts'
import { LargeBodies } from './LargeBodies.ts'
import { limits } from './limits.ts'

/** A state rebuilt from the log. */
export interface Loaded {
  readonly state: PartitionState
  /** Foreign records that were found and are not on record yet. */
  readonly foreign: number[]
  readonly checkpointSeq: number
  readonly checkpointBytes: number
  /** The first body that the checkpoint's state needs; absent when the checkpoint is not on record. */
  readonly checkpointOldestBody: number | undefined
  /** Partition time of the checkpoint, or of the first frame where there is none; 0 in an empty log. */
  readonly sinceMs: number
  readonly largeBodies: LargeBodies
  /** Events that were replayed. */
  readonly events: number
  /** Size of the records behind the checkpoint. */
  readonly bytes: number
  readonly frames: number
}

/**
 * Rebuilds a partition's state up to `toSeq`: the newest checkpoint that holds, then every frame behind it.
 * What lies before that checkpoint is not read, but must be there. Yields to others every few ms. Errors: `LogDamaged`, `LogShortened`, `FutureVersion`.
 */
export const load = async (log: PartitionLog, toSeq: number): Promise<Loaded> => {
  const { firstSeq, holes } = await log.state()
  const found = await newestCheckpoint(log, toSeq)
  if (found === undefined && firstSeq > 1)
    throw new KirokuError(
      'LogDamaged',
      `partition ${log.partition}: the log begins at ${firstSeq}, and there is no checkpoint for what was before`,
    )
  const oldestBody = found === undefined ? undefined : oldestBodySeq(found.checkpoint.snapshot)
  let sinceMs = found?.checkpoint.snapshot.at ?? 0
  const state = found === undefined ? new PartitionState(log.partition) : restore(found.checkpoint.snapshot)
  const from: ChainAnchor | undefined =
    found === undefined
      ? undefined
      : { seq: found.checkpoint.seq, hash: found.checkpoint.hash, epoch: found.checkpoint.snapshot.epoch }
  const foreign = new Set<number>()
  const largeBodies = new LargeBodies(found?.checkpoint.largeBodies)
  // Without a large body no frame names one, and their tables need not be read.
  let anyLarge = found !== undefined && found.checkpoint.largeBodies?.length !== 0
  let events = 0
  let frames = 0
  let bytes = 0
  let sliceEnd = performance.now() + limits.replaySliceMs
  for await (const entry of readChain(log, from === undefined ? { toSeq } : { from, toSeq })) {
    if (entry.kind === 'foreign') {
      foreign.add(entry.seq)
      continue
    }
    if (entry.kind === 'lost') {
      // What was bridged happened; without the checkpoint that the repair relied on, the state is not known.
      if (entry.bridged) throw entry.damage
      anyLarge = true
      continue
    }
    bytes += entry.record.sizeBytes
    if (entry.record.kind === 'body') {
      anyLarge = true
      continue
    }
    frames++
    if (anyLarge) largeBodies.frame(entry.seq, entry.record.sections)
    if (sinceMs === 0) sinceMs = entry.record.at
    beginFrame(state, entry.seq, entry.record.at)
    for (const event of entry.record.events) {
      evolve(state, event)
      events++
      if (event.type === 'ForeignRecordSkipped') foreign.delete(event.seq)
      else if (event.type === 'RunsRestored') largeBodies.restored(event.largeBodies ?? [], entry.seq)
    }
    if (performance.now() > sliceEnd) {
      await nextTick()
      sliceEnd = performance.now() + limits.replaySliceMs
    }
  }
  const missing = firstMissing(state, firstSeq, holes > 0 ? await log.holes() : [])
  if (missing !== undefined)
    throw new ChainError('LogDamaged', log.partition, missing, 'the record is missing')
  return {
    state,
    foreign: [...foreign],
    checkpointSeq: found?.checkpoint.seq ?? 0,
    checkpointBytes: found?.bytes ?? 0,
    checkpointOldestBody: state.checkpoints.some(({ seq }) => seq === found?.checkpoint.seq)
      ? oldestBody
      : undefined,
    sinceMs,
    bytes,
    largeBodies,
    events,
    frames,
  }
}

const newestCheckpoint = async (
  log: PartitionLog,
  toSeq: number,
): Promise<{ checkpoint: Checkpoint; bytes: number } | undefined> => {
  for (const seq of await log.checkpoints.list()) {
    if (seq > toSeq)
      throw new KirokuError(
        'LogShortened',
        `partition ${log.partition}: the log ends at ${toSeq}, but a checkpoint stands on ${seq}`,
      )
    const bytes = await log.checkpoints.get(seq)
    if (bytes === undefined) continue
    try {
      const checkpoint = decodeCheckpoint(bytes)
      if (checkpoint !== undefined) return { checkpoint, bytes: bytes.length }
    } catch (e) {
      // A damaged checkpoint loses nothing as long as an older one, or the whole log, is there.
      if (!isKirokuError(e)) throw e
    }
  }
  return undefined
}
