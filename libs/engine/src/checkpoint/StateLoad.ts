import { setImmediate as nextTick } from 'node:timers/promises'
import {
  ChainError,
  readChain,
  type ChainAnchor,
  type DecodedRecord,
  type LogState,
  type PartitionLog,
} from '@kiroku/log'
import { evolve, firstMissing, PartitionState, restoring } from '@kiroku/partition'
import type { ErrorId, LogEventOf } from '@kiroku/protocol'
import { LargeBodies } from '../bodies/LargeBodies.ts'
import { limits } from '../limits.ts'
import type { ReadCheckpoint } from './CheckpointCodec.ts'
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
  /** The resume point that the state was rebuilt from; 0: none. */
  readonly resumeSeq: number
  /** Whether it was kept near the end of the log: the owner before may have stored states of which nothing is known here. */
  readonly wasFollowing: boolean
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
export interface PassedOver {
  readonly seq: number
  readonly why: string
  /** What reading it failed with, where that was it. */
  readonly id?: ErrorId
}

/** A checkpoint, and its size as it is stored. */
export interface FoundCheckpoint {
  readonly checkpoint: ReadCheckpoint
  readonly bytes: number
}

/** A state on its way through the log: a checkpoint's, or an empty one, and what was read behind it so far. */
export class StateLoad {
  readonly #log: PartitionLog
  readonly #found: FoundCheckpoint | undefined
  readonly #state: PartitionState
  readonly #largeBodies: LargeBodies
  readonly #foreign = new Set<number>()
  /** The last record of ours that was read. */
  #reached: ChainAnchor | undefined
  #sinceMs: number
  /** The latest checkpoint that the owner recorded after the initial load. */
  #named: { readonly seq: number } | undefined
  /** Set once the initial load is done: later reads only continue it. */
  #isFollowing = false
  #wasFollowing = false
  /** Without a large body no frame names one, and their tables need not be read. */
  #anyLarge: boolean
  #events = 0
  #frames = 0
  #bytes = 0

  private constructor(log: PartitionLog, found: FoundCheckpoint | undefined, state: PartitionState) {
    const checkpoint = found?.checkpoint
    this.#log = log
    this.#found = found
    this.#state = state
    this.#largeBodies = new LargeBodies(checkpoint?.largeBodies)
    this.#reached =
      checkpoint === undefined
        ? undefined
        : { seq: checkpoint.seq, hash: checkpoint.hash, epoch: checkpoint.snapshot.epoch }
    this.#sinceMs = checkpoint?.snapshot.at ?? 0
    this.#anyLarge = checkpoint !== undefined && checkpoint.largeBodies?.length !== 0
  }

  /** Begins with a checkpoint, or with the first record of the log. */
  static async begin(log: PartitionLog, found: FoundCheckpoint | undefined): Promise<StateLoad> {
    const state =
      found === undefined
        ? new PartitionState(log.partition)
        : await inTurns(restoring(found.checkpoint.snapshot))
    return new StateLoad(log, found, state)
  }

  /** The last record of ours that was read. */
  get seq(): number {
    return this.#reached?.seq ?? 0
  }

  /** The state read so far. Callers must not change it. */
  get state(): PartitionState {
    return this.#state
  }

  /** Events that were replayed so far. */
  get events(): number {
    return this.#events
  }

  /** Whether the last record of ours that was read is this one. */
  isAt(seq: number, hash: Uint8Array): boolean {
    return this.#reached?.seq === seq && Buffer.compare(this.#reached.hash, hash) === 0
  }

  /**
   * Replays what follows, up to a sequence. Yields the thread every few ms. Returns the checkpoint that it began with where
   * the log says that this was another one. Errors: `LogDamaged`, `LogShortened`, `FutureVersion`.
   */
  async advance(toSeq: number): Promise<PassedOver | undefined> {
    const from = this.#reached
    this.#wasFollowing = this.#isFollowing
    const sliceMs = this.#isFollowing ? limits.followSliceMs : limits.sliceMs
    let sliceEnd = performance.now() + sliceMs
    const range = from === undefined ? { toSeq } : { from, toSeq, continues: this.#isFollowing }
    for await (const entry of readChain(this.#log, range)) {
      if (entry.kind === 'foreign') {
        this.#foreign.add(entry.seq)
        continue
      }
      if (entry.kind === 'lost') {
        // What was bridged happened; without the checkpoint that the repair relied on, the state is not known.
        if (entry.bridged) throw entry.damage
        continue
      }
      const other = this.#replay(entry.seq, entry.record)
      if (other !== undefined) return other
      if (performance.now() > sliceEnd) {
        await nextTick()
        sliceEnd = performance.now() + sliceMs
      }
    }
    this.#isFollowing = true
    return undefined
  }

  #replay(seq: number, record: DecodedRecord): PassedOver | undefined {
    this.#bytes += record.sizeBytes
    this.#reached = { seq, hash: record.hash, epoch: record.epoch }
    if (record.kind === 'body') {
      this.#anyLarge = true
      return undefined
    }
    this.#frames++
    if (this.#anyLarge) this.#largeBodies.frame(seq, record.sections)
    if (this.#sinceMs === 0) this.#sinceMs = record.at
    this.#state.beginFrame(seq, record.at)
    for (const event of record.events) {
      if (
        event.type === 'Checkpointed' &&
        this.#found !== undefined &&
        !isNamed(this.#found.checkpoint, event)
      )
        return { seq: event.seq, why: `record ${seq} of the log names another one` }
      evolve(this.#state, event)
      this.#events++
      if (event.type === 'Checkpointed' && this.#isFollowing) this.#behind(event.seq, record.at)
      else if (event.type === 'Trimmed') this.#largeBodies.forget(event.upTo + 1, 0)
      else if (event.type === 'ForeignRecordSkipped') this.#foreign.delete(event.seq)
      else if (event.type === 'RunsRestored') this.#largeBodies.restored(event.largeBodies ?? [], seq)
    }
    return undefined
  }

  /** The owner made a checkpoint meanwhile: what a replay would cost counts from there. */
  #behind(seq: number, at: number): void {
    this.#named = { seq }
    this.#sinceMs = at
    this.#frames = 0
    this.#bytes = 0
  }

  /**
   * The state as it is now, which is the caller's. Errors: `LogDamaged` when the log lacks a record that it needs.
   *
   * @param logState of a moment ago; default: the log is asked
   */
  async finish(
    passedOver: readonly PassedOver[],
    logState: LogState | Promise<LogState> = this.#log.state(),
  ): Promise<Loaded> {
    const log = this.#log
    const state = this.#state
    const { seq = 0 } = this.#found?.checkpoint ?? {}
    const isNamed = state.checkpoints.some((named) => named.seq === seq)
    const { firstSeq, holes } = await logState
    const missing = firstMissing(state, firstSeq, holes > 0 ? await log.holes() : [])
    if (missing !== undefined)
      throw new ChainError('LogDamaged', log.partition, missing, 'the record is missing')
    return {
      state,
      foreign: [...this.#foreign],
      checkpointSeq: this.#named?.seq ?? seq,
      checkpointBytes: this.#found?.bytes ?? 0,
      checkpointOldestBody:
        isNamed && this.#named === undefined ? this.#found?.checkpoint.oldestBody : undefined,
      resumeSeq: isNamed ? 0 : seq,
      wasFollowing: this.#wasFollowing,
      sinceMs: this.#sinceMs,
      bytes: this.#bytes,
      largeBodies: this.#largeBodies,
      events: this.#events,
      frames: this.#frames,
      passedOver,
    }
  }
}

/** Whether a checkpoint is the one that the log names, where it names one of that place. */
const isNamed = (found: ReadCheckpoint, note: LogEventOf<'Checkpointed'>): boolean =>
  note.seq !== found.seq || (note.digest === found.digest && note.stateHash === found.stateHash)
