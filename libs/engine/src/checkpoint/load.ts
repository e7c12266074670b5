import { setImmediate as nextTick } from 'node:timers/promises'
import { ChainError, readChain, type ChainAnchor, type PartitionLog } from '@kiroku/log'
import { evolve, firstMissing, PartitionState, restoring } from '@kiroku/partition'
import { type ErrorId, KirokuError, isKirokuError, type LogEventOf } from '@kiroku/protocol'
import { LargeBodies } from '../bodies/LargeBodies.ts'
import { limits } from '../limits.ts'
import type { ReadCheckpoint } from './CheckpointCodec.ts'
import { decodeAside } from './decodeAside.ts'
import { inTurns } from './inTurns.ts'

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
  /** Checkpoints that could not be used, newest first, and why. */
  readonly passedOver: readonly PassedOver[]
}

/** A checkpoint that is not what the log says of it, or not what was stored. */
interface PassedOver {
  readonly seq: number
  readonly why: string
  /** What reading it failed with, where that was it. */
  readonly id?: ErrorId
}

/**
 * Rebuilds a partition's state up to `toSeq`: the newest checkpoint that holds, then every frame behind it. A
 * checkpoint that the log names must be the one that it names; otherwise an older one is used, and `passedOver` says
 * why. What lies before that checkpoint is not read, but must exist. Yields the thread every few ms. Errors:
 * `LogDamaged`, `LogShortened`, `FutureVersion`.
 */
export const load = async (log: PartitionLog, toSeq: number): Promise<Loaded> => {
  const passedOver: PassedOver[] = []
  for (;;) {
    const found = await newestCheckpoint(log, toSeq, passedOver)
    if (found === undefined) await mustBegin(log, passedOver)
    const loaded = await loadFrom(log, toSeq, found)
    if ('state' in loaded) return { ...loaded, passedOver }
    passedOver.push(loaded)
  }
}

/** Without a checkpoint the log must have its first record. A checkpoint that only a newer version can read is no damage. */
const mustBegin = async (log: PartitionLog, passedOver: readonly PassedOver[]): Promise<void> => {
  const { firstSeq } = await log.state()
  if (firstSeq <= 1) return
  const what = `partition ${log.partition}: the log begins at ${firstSeq}`
  const newer = passedOver.find(({ id }) => id === 'FutureVersion')
  throw newer === undefined
    ? new KirokuError('LogDamaged', `${what}, and there is no checkpoint for what was before`)
    : new KirokuError(
        'FutureVersion',
        `${what}, and the checkpoint for what was before cannot be read here: ${newer.why}; install that version`,
      )
}

interface Found {
  readonly checkpoint: ReadCheckpoint
  readonly bytes: number
}

const loadFrom = async (
  log: PartitionLog,
  toSeq: number,
  found: Found | undefined,
): Promise<Omit<Loaded, 'passedOver'> | PassedOver> => {
  const { firstSeq, holes } = await log.state()
  let sinceMs = found?.checkpoint.snapshot.at ?? 0
  const state =
    found === undefined
      ? new PartitionState(log.partition)
      : await inTurns(restoring(found.checkpoint.snapshot))
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
  let sliceEnd = performance.now() + limits.sliceMs
  for await (const entry of readChain(log, from === undefined ? { toSeq } : { from, toSeq })) {
    if (entry.kind === 'foreign') {
      foreign.add(entry.seq)
      continue
    }
    if (entry.kind === 'lost') {
      // What was bridged happened; without the checkpoint that the repair relied on, the state is not known.
      if (entry.bridged) throw entry.damage
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
    state.beginFrame(entry.seq, entry.record.at)
    for (const event of entry.record.events) {
      if (event.type === 'Checkpointed' && found !== undefined && !isNamed(found.checkpoint, event))
        return { seq: event.seq, why: `record ${entry.seq} of the log names another one` }
      evolve(state, event)
      events++
      if (event.type === 'ForeignRecordSkipped') foreign.delete(event.seq)
      else if (event.type === 'RunsRestored') largeBodies.restored(event.largeBodies ?? [], entry.seq)
    }
    if (performance.now() > sliceEnd) {
      await nextTick()
      sliceEnd = performance.now() + limits.sliceMs
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
      ? found?.checkpoint.oldestBody
      : undefined,
    sinceMs,
    bytes,
    largeBodies,
    events,
    frames,
  }
}

/** Whether a checkpoint is the one that the log names, where it names one of that place. */
const isNamed = (found: ReadCheckpoint, note: LogEventOf<'Checkpointed'>): boolean =>
  note.seq !== found.seq || (note.digest === found.digest && note.stateHash === found.stateHash)

const newestCheckpoint = async (
  log: PartitionLog,
  toSeq: number,
  passedOver: PassedOver[],
): Promise<Found | undefined> => {
  for (const seq of await log.checkpoints.list()) {
    if (seq > toSeq)
      throw new KirokuError(
        'LogShortened',
        `partition ${log.partition}: the log ends at ${toSeq}, but a checkpoint stands on ${seq}`,
      )
    if (passedOver.some((p) => p.seq === seq)) continue
    const bytes = await log.checkpoints.get(seq)
    if (bytes === undefined) continue
    try {
      const checkpoint = await decodeAside(bytes)
      if (checkpoint === undefined) continue
      if (checkpoint.seq === seq) return { checkpoint, bytes: bytes.length }
      passedOver.push({ seq, why: `it is of record ${checkpoint.seq}` })
    } catch (e) {
      // A damaged checkpoint loses nothing as long as an older one, or the whole log, is there.
      if (!isKirokuError(e)) throw e
      passedOver.push({ seq, why: e.message, id: e.id })
    }
  }
  return undefined
}
