import { setImmediate as nextTick } from 'node:timers/promises'
import type { BodyRef, PartitionLog } from '@kiroku/log'
import {
  decideCarry,
  snapshot,
  snapshotSpace,
  type OldBodies,
  type PartitionState,
  type Snapshot,
  type SnapshotSpace,
  type Turn,
} from '@kiroku/partition'
import type { BodyCache } from './BodyCache.ts'
import { digestOf } from './CheckpointCodec.ts'
import type { Flight } from './Flights.ts'
import { encodeAside } from './encodeAside.ts'
import { LargeBodies } from './LargeBodies.ts'
import { limits } from './limits.ts'
import type { Loaded } from './load.ts'
import type { Spill } from './Spills.ts'

interface Taken {
  readonly seq: number
  readonly hash: Uint8Array
  readonly at: number
  readonly snapshot: Snapshot
  readonly largeBodies: readonly number[]
}

/** Bodies that are stored again. */
interface Carried {
  readonly old: OldBodies
  readonly bodies: readonly BodyRef[]
  readonly spill: Spill
}

/** A checkpoint that was stored and read back. */
interface Kept {
  readonly seq: number
  readonly at: number
  readonly oldestBody: number
}

/** When a checkpoint is due. */
export interface CheckpointPolicy {
  /** The log grew by at least this many bytes, and by four times the last checkpoint. */
  readonly bytesMin: number
  /** Or the last one is this old, in ms, and something happened since. */
  readonly ageMs: number
}

/** What the owner does for its checkpoints. */
export interface CheckpointWork {
  /** Has `run` decide in a turn that has room for `bytes` of bodies. */
  act(run: (turn: Turn<BodyRef>) => void, bytes?: number): void
  /** Puts large bodies in records of their own. Rejects when the ownership ends before. */
  spill(bodies: readonly Uint8Array[]): Promise<Spill>
  /** A checkpoint was stored, or it or the trimming behind it failed; then the log stays longer. */
  ended(seq: number, error: Error | undefined): void
}

/** Makes checkpoints when the log has grown enough, and trims the log to its record limits behind two of them. */
export class Checkpoints {
  readonly #log: PartitionLog
  readonly #record: { readonly ms: number; readonly bytes: number }
  readonly #policy: CheckpointPolicy
  readonly #cache: BodyCache
  readonly #work: CheckpointWork
  /** Which frames need records ahead of them. */
  largeBodies = new LargeBodies()
  #state: PartitionState | undefined
  #taken: Taken | undefined
  #busy: Taken | undefined
  #space: SnapshotSpace | undefined
  #makingSpace: Promise<void> | undefined
  #trimming: { readonly seq: number; readonly upTo: number; readonly to: Kept } | undefined
  #grown = 0
  #lastBytes = 0
  #lastAt = 0
  #kept: Kept[] = []
  lastSeq = 0

  constructor(
    log: PartitionLog,
    record: { readonly ms: number; readonly bytes: number },
    policy: CheckpointPolicy,
    cache: BodyCache,
    work: CheckpointWork,
  ) {
    this.#log = log
    this.#policy = policy
    this.#cache = cache
    this.#record = record
    this.#work = work
  }

  /** Begins behind the checkpoint that the state was rebuilt from. What was replayed counts: owners may change often. */
  begin(loaded: Loaded, at: number): void {
    const { checkpointSeq: seq, checkpointOldestBody: oldestBody, sinceMs } = loaded
    this.largeBodies = loaded.largeBodies
    this.#state = loaded.state
    this.#taken = undefined
    this.#busy = undefined
    this.#trimming = undefined
    this.#grown = loaded.bytes
    this.#lastBytes = loaded.checkpointBytes
    this.#lastAt = sinceMs === 0 ? at : sinceMs
    this.#kept = oldestBody === undefined ? [] : [{ seq, at: sinceMs, oldestBody }]
    this.lastSeq = seq
  }

  /** A record went off that is no frame. */
  grew(bytes: number): void {
    this.#grown += bytes
  }

  /** A frame was decided; when one is due, the state is copied here, between two turns. */
  decided(state: PartitionState, flight: Flight, at: number): void {
    const { seq, hash, record } = flight
    this.#grown += record.length
    if (this.#busy !== undefined || this.#taken !== undefined) return
    const due =
      this.#grown >= Math.max(this.#policy.bytesMin, limits.checkpointGrowth * this.#lastBytes) ||
      at - this.#lastAt >= this.#policy.ageMs
    if (!due || this.#waitsForSpace(state)) return
    this.#grown = 0
    this.#lastAt = at
    this.#taken = {
      seq,
      hash,
      at,
      snapshot: snapshot(state, this.#space),
      largeBodies: this.largeBodies.list(seq),
    }
    this.#space = undefined
  }

  /** A large state is copied into memory that was made ready before; the frame after that takes the copy. */
  #waitsForSpace(state: PartitionState): boolean {
    if (this.#space !== undefined || state.live.top + state.runs.size < limits.snapshotSpaceFrom) return false
    this.#makingSpace ??= this.#makeSpace(state).finally(() => (this.#makingSpace = undefined))
    return true
  }

  async #makeSpace(state: PartitionState): Promise<void> {
    const making = snapshotSpace(state)
    for (;;) {
      const made = making.next()
      if (made.done === true) {
        this.#space = made.value
        return
      }
      await nextTick()
    }
  }

  /** Everything up to `seq` is stored: a copied state becomes a checkpoint, an announced trim is done. */
  stored(seq: number): void {
    const trim = this.#trimming
    if (trim !== undefined && trim.seq <= seq) {
      this.#trimming = undefined
      this.#remove(trim.upTo, trim.to).catch(() => {
        // What was announced and not removed goes with the next trim.
      })
    }
    const taken = this.#taken
    if (taken === undefined || taken.seq > seq || this.#busy !== undefined) return
    this.#taken = undefined
    this.#busy = taken
    this.#keep(taken)
      // The next one is tried when the log has grown again.
      .catch((error: unknown) => this.#work.ended(taken.seq, toError(error)))
      .finally(() => {
        if (this.#busy === taken) this.#busy = undefined
      })
  }

  async #keep(taken: Taken): Promise<void> {
    const behind = this.#kept.at(-1)?.seq ?? 0
    const { oldestBody, old, ...encoded } = await encodeAside({ ...taken, behind })
    await this.#log.checkpoints.put(taken.seq, encoded.bytes)
    const back = await this.#log.checkpoints.get(taken.seq)
    // Another ownership may have begun meanwhile; it looks for checkpoints itself.
    const isSame = back !== undefined && (await digestOf(back)) === encoded.digest
    if (this.#busy !== taken) return
    if (!isSame) throw new Error('what was stored reads back differently')
    this.#work.ended(taken.seq, undefined)
    this.#lastBytes = encoded.bytes.length
    this.lastSeq = taken.seq
    this.#kept.push({ seq: taken.seq, at: taken.at, oldestBody })
    this.largeBodies.forget(Math.min(oldestBody, taken.seq + 1), taken.seq)
    const { bytes, firstSeq, lastSeq } = await this.#log.state()
    const trim = this.#plan(taken.at, bytes)
    const segmentBytes = (bytes * (behind - firstSeq)) / (lastSeq - firstSeq + 1)
    if (trim !== undefined && oldestBody < trim.to.seq) await this.#carry(old, segmentBytes, taken.seq)
    this.#work.act((turn) => {
      turn.emit({
        type: 'Checkpointed',
        seq: taken.seq,
        digest: encoded.digest,
        stateHash: encoded.stateHash,
      })
      if (trim === undefined || trim.upTo < firstSeq || this.#needsThePast(taken.seq)) return
      turn.emit({ type: 'Trimmed', upTo: trim.upTo })
      this.#trimming = { seq: turn.state.frameSeq, ...trim }
    })
  }

  /** Which prefix is beyond the record's limits, once two checkpoints stand behind it. */
  #plan(now: number, bytes: number): { upTo: number; to: Kept } | undefined {
    const older = this.#kept.at(-2)
    if (older === undefined) return undefined
    const expired = this.#kept.findLast((k) => k.seq <= older.seq && k.at <= now - this.#record.ms)
    const to = bytes > this.#record.bytes ? older : expired
    if (to === undefined) return undefined
    const last = this.#kept.at(-1)!
    if (this.#needsThePast(last.seq)) return undefined
    const needed = this.largeBodies.firstNeeded(Math.min(last.oldestBody, last.seq + 1))
    // The record that the checkpoint names stays, so that the chain can be held against it.
    return { upTo: Math.min(to.seq, needed) - 1, to }
  }

  /** Whether a subscription has begun in the past since a checkpoint: that does not say which bodies it needs. */
  #needsThePast(checkpointSeq: number): boolean {
    const { filling, restoredSeq } = this.#state!
    return filling.size > 0 || restoredSeq > checkpointSeq
  }

  /** Stores what little an old segment still holds again at the end, so that the next checkpoint lets it go. */
  async #carry(old: readonly OldBodies[], segmentBytes: number, seq: number): Promise<void> {
    const bytes = old.reduce((sum, o) => sum + o.bytes, 0)
    if (old.length > limits.carryRunsMax || bytes > segmentBytes * limits.carryShareMax) return
    let window: Carried[] = []
    let windowBytes = 0
    for (const o of old) {
      const indexes = Array.from({ length: o.count }, (_, i) => o.index + i)
      const bodies = await this.#cache.fetch(
        indexes.map(() => o.seq),
        o.queue,
        indexes,
      )
      const spill = await this.#work.spill(bodies)
      if (window.length > 0 && windowBytes + spill.inlineBytes > limits.carryWindowBytes) {
        await this.#carryWindow(window, windowBytes, seq)
        window = []
        windowBytes = 0
      }
      window.push({ old: o, bodies: spill.messages, spill })
      windowBytes += spill.inlineBytes
    }
    if (window.length > 0) await this.#carryWindow(window, windowBytes, seq)
  }

  /** Resolves when the window is decided, so that no more than one is in memory. */
  #carryWindow(window: readonly Carried[], bytes: number, seq: number): Promise<void> {
    return new Promise((resolve) => {
      this.#work.act((turn) => {
        decideCarry<BodyRef>(turn, window, seq)
        for (const { spill } of window) this.largeBodies.close(spill)
        resolve()
      }, bytes)
    })
  }

  async #remove(upTo: number, to: Kept): Promise<void> {
    await this.#log.trim(upTo)
    for (const seq of await this.#log.checkpoints.list())
      if (seq < to.seq) await this.#log.checkpoints.delete(seq)
    this.#kept = this.#kept.filter((k) => k.seq >= to.seq)
  }
}

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
