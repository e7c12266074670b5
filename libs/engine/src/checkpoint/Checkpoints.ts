import { decodeRecord, type BodyRef, type PartitionLog } from '@kiroku/log'
import {
  decideCarry,
  snapshotSpace,
  snapshotting,
  type OldBodies,
  type PartitionState,
  type Snapshot,
  type SnapshotSpace,
  type Turn,
} from '@kiroku/partition'
import { type CheckpointsDescription } from '@kiroku/protocol'
import type { Append } from '../append/AppendPipeline.ts'
import type { BodyCache } from '../bodies/BodyCache.ts'
import { LargeBodies } from '../bodies/LargeBodies.ts'
import type { LargeBodyWrite } from '../bodies/LargeBodyWriter.ts'
import { fetchLetter } from '../bodies/fetchLetter.ts'
import { limits } from '../limits.ts'
import type { StorageWatch } from '../store/StorageWatch.ts'
import { digestOf } from './CheckpointCodec.ts'
import { encodeAside } from './encodeAside.ts'
import { inTurns } from './inTurns.ts'
import type { Loaded } from './load.ts'
import { bytesOf, thin, type StoredCheckpoint } from './thin.ts'

interface Taken {
  readonly seq: number
  readonly hash: Uint8Array
  readonly at: number
  /** Was begun, and is gone on with once the frame is stored. */
  readonly copying: Generator<undefined, Snapshot>
  readonly largeBodies: readonly number[]
}

/** Bodies that are stored again. */
interface Carried {
  readonly old: OldBodies
  readonly bodies: readonly BodyRef[]
  readonly spill: LargeBodyWrite
}

/** A checkpoint that was stored and read back. */
interface Kept extends StoredCheckpoint {
  readonly oldestBody: number
}

/** A prefix of the log that may go. */
interface Trim {
  readonly upTo: number
  /** The checkpoint that it goes to. */
  readonly to: StoredCheckpoint
  /** The store is short; the record's limits would keep it. */
  readonly isEarly: boolean
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
  readonly storage: StorageWatch
  /** Has `run` decide in a turn that has room for `bytes` of bodies. */
  act(run: (turn: Turn<BodyRef>) => void, bytes?: number): void
  /** Whether the store has room for this many bytes of old bodies before it lets go of any. */
  hasRoomToCarry(bytes: number): boolean
  /** Bytes of old bodies that are stored again in one turn, about. */
  carryBytesMax(): number
  /** Puts large bodies in records of their own. Rejects when the ownership ends before. */
  spill(bodies: readonly Uint8Array[]): Promise<LargeBodyWrite>
  /** The log was trimmed before its limits asked for it. */
  trimmedEarly(): void
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
  #trimming: (Trim & { readonly seq: number }) | undefined
  /** An announced trim that is being done, and one that could not be. */
  #removing: Trim | undefined
  #left: Trim | undefined
  #isPressing = false
  #grown = 0
  #lastBytes = 0
  #lastAt = 0
  #kept: Kept[] = []
  /** What the log names of earlier ownerships, oldest first; undefined: not looked up yet. */
  #inherited: StoredCheckpoint[] | undefined
  /** Where the store is short: until when no checkpoint is made only to let more of the log go, and how long the next pause is. */
  #pausedUntil = 0
  #pauseMs: number = limits.earlyPauseMsMin
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
    this.#left = undefined
    this.#isPressing = false
    this.#pausedUntil = 0
    this.#grown = loaded.bytes
    this.#lastBytes = loaded.checkpointBytes
    this.#lastAt = sinceMs === 0 ? at : sinceMs
    this.#kept = oldestBody === undefined ? [] : [{ seq, at: sinceMs, oldestBody, bytes: this.#lastBytes }]
    this.#inherited = undefined
    this.lastSeq = seq
    // What cannot be looked up now is when the next one is stored.
    this.#lookUpInherited().catch(() => undefined)
  }

  /** The state that was worked for is gone: what is under way for it leads to nothing any more. */
  end(): void {
    this.#state = undefined
    this.#taken = undefined
    this.#busy = undefined
    this.#trimming = undefined
  }

  /** How many there are, and their size; undefined: not known yet. */
  describe(): CheckpointsDescription | undefined {
    if (this.#inherited === undefined) return undefined
    const all = [...this.#inherited, ...this.#kept]
    return { count: all.length, bytes: bytesOf(all) }
  }

  async #lookUpInherited(): Promise<StoredCheckpoint[]> {
    if (this.#inherited !== undefined) return this.#inherited
    const state = this.#state!
    const named = new Set(state.checkpoints.map(({ seq }) => seq))
    const own = this.#kept[0]?.seq ?? Infinity
    const found: StoredCheckpoint[] = []
    for (const seq of await this.#log.checkpoints.list()) {
      if (seq >= own || !named.has(seq)) continue
      const bytes = await this.#log.checkpoints.size(seq)
      const stored = await this.#log.get(seq)
      if (bytes === undefined || stored === undefined || stored.foreign) continue
      const record = decodeRecord(stored.data)
      if (record.kind === 'frame') found.unshift({ seq, at: record.at, bytes })
    }
    return this.#state === state ? (this.#inherited ??= found) : found
  }

  /** A record went off that is no frame. */
  grew(bytes: number): void {
    this.#grown += bytes
  }

  /** A frame was decided; when one is due, the state is copied here, between two turns. */
  decided(state: PartitionState, flight: Append, at: number): void {
    const { seq, hash, record } = flight
    this.#grown += record.length
    if (this.#busy !== undefined || this.#taken !== undefined) return
    const { short } = this.#work.storage
    const due =
      this.#grown >= Math.max(this.#policy.bytesMin, limits.checkpointGrowth * this.#lastBytes) ||
      at - this.#lastAt >= this.#policy.ageMs ||
      (short && this.#isDueEarly(at))
    if (short) this.press(at)
    if (!due || this.#waitsForSpace(state)) return
    if (short) {
      this.#pausedUntil = at + this.#pauseMs
      this.#pauseMs = Math.min(2 * this.#pauseMs, limits.earlyPauseMsMax)
    }
    this.#grown = 0
    this.#lastAt = at
    const copying = snapshotting(state, this.#space)
    copying.next()
    this.#taken = {
      seq,
      hash,
      at,
      copying,
      largeBodies: this.largeBodies.list(seq),
    }
    this.#space = undefined
  }

  /**
   * The store is short: what two checkpoints allow goes at once, and where another one would let more go, a frame
   * goes off that it can stand on.
   */
  press(now: number): void {
    if (this.#state === undefined) return
    if (this.#left !== undefined) this.#removeTo(this.#left)
    if (this.#isPressing || this.#isAtIt || (this.#early() === undefined && !this.#isDueEarly(now))) return
    this.#isPressing = true
    this.#work.act((turn) => {
      this.#isPressing = false
      // What was asked for may have come by itself meanwhile.
      if (this.#isAtIt) return
      const trim = this.#early()
      this.#tellShort(turn)
      if (trim !== undefined) this.#trim(turn, trim)
    })
  }

  get #isAtIt(): boolean {
    return this.#busy !== undefined || this.#taken !== undefined || this.#trimming !== undefined
  }

  /** What two checkpoints allow to go whatever the record's limits say. */
  #early(): Trim | undefined {
    const older = this.#kept.at(-2)
    const trim = older && this.#upTo(older)
    return trim !== undefined && trim.upTo > this.#state!.trimmedTo ? { ...trim, isEarly: true } : undefined
  }

  /** Whether the log, short of room, grew enough for a checkpoint, or holds much that the next one would let go. */
  #isDueEarly(now: number): boolean {
    if (this.#grown >= this.#worthIt) return true
    return this.#work.storage.bytes - this.#grown >= this.#worthIt && now >= this.#pausedUntil
  }

  /** Bytes for which a checkpoint pays while the store is short. */
  get #worthIt(): number {
    const share = this.#work.storage.room.bytesMax * limits.earlyShare
    return Math.max(2 * this.#lastBytes, Math.min(this.#policy.bytesMin, share))
  }

  #tellShort(turn: Turn<BodyRef>): void {
    const { freeBytes, bytesMax } = this.#work.storage.room
    const room = { freeBytes: Math.floor(freeBytes), bytesMax }
    if (bytesMax !== Infinity) turn.emit({ type: 'StoreShort', ...room, optional: true })
  }

  #trim(turn: Turn<BodyRef>, trim: Trim): void {
    turn.emit({ type: 'Trimmed', upTo: trim.upTo })
    this.#trimming = { seq: turn.state.frameSeq, ...trim }
  }

  /** A large state is copied into memory that was made ready before; the frame after that takes the copy. */
  #waitsForSpace(state: PartitionState): boolean {
    if (this.#space !== undefined || state.live.top + state.runs.size < limits.snapshotSpaceFrom) return false
    this.#makingSpace ??= this.#makeSpace(state).finally(() => (this.#makingSpace = undefined))
    return true
  }

  async #makeSpace(state: PartitionState): Promise<void> {
    this.#space = await inTurns(snapshotSpace(state))
  }

  /** Everything up to `seq` is stored: a copied state becomes a checkpoint, an announced trim is done. */
  stored(seq: number): void {
    const trim = this.#trimming
    if (trim !== undefined && trim.seq <= seq) {
      this.#trimming = undefined
      this.#removeTo(trim)
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
    const state = this.#state!
    const behind = this.#kept.at(-1)?.seq ?? 0
    const { copying, seq, hash, largeBodies } = taken
    const snapshot = await inTurns(copying)
    const { oldestBody, old, ...encoded } = await encodeAside({ snapshot, seq, hash, largeBodies, behind })
    await this.#log.checkpoints.put(taken.seq, encoded.bytes)
    const back = await this.#log.checkpoints.get(taken.seq)
    // Another ownership may have begun meanwhile; it looks for checkpoints itself.
    const isSame = back !== undefined && (await digestOf(back)) === encoded.digest
    if (this.#busy !== taken) return
    if (!isSame) throw new Error('what was stored reads back differently')
    this.#work.ended(taken.seq, undefined)
    this.#lastBytes = encoded.bytes.length
    this.lastSeq = taken.seq
    this.#kept.push({ seq: taken.seq, at: taken.at, oldestBody, bytes: encoded.bytes.length })
    this.largeBodies.forget(Math.min(oldestBody, taken.seq + 1), taken.seq)
    if (this.#left !== undefined) this.#removeTo(this.#left)
    // What a trim is still to take away says nothing of how large the log will be.
    const isTrimming = this.#trimming !== undefined || this.#removing !== undefined
    const inherited = await this.#lookUpInherited()
    const { bytes, firstSeq, lastSeq } = await this.#log.state()
    if (this.#state !== state) return
    const all = [...inherited, ...this.#kept]
    const stay = thin(all, {
      recordMs: this.#record.ms,
      bytesMax: this.#record.bytes - bytes,
      givenUp: state.givenUp,
    })
    const trim = isTrimming ? undefined : this.#plan(taken.at, bytes + bytesOf(stay), stay)
    const segmentBytes = (bytes * (behind - firstSeq)) / (lastSeq - firstSeq + 1)
    if (trim !== undefined && oldestBody < trim.to.seq) await this.#carry(old, segmentBytes, taken.seq)
    // What was decided on another state trims less, and carries what may lie elsewhere, or nowhere.
    if (this.#state !== state) return
    this.#work.act((turn) => {
      turn.emit({
        type: 'Checkpointed',
        seq: taken.seq,
        digest: encoded.digest,
        stateHash: encoded.stateHash,
      })
      if (trim === undefined || trim.upTo < firstSeq || this.#needsThePast(taken.seq)) return
      if (trim.isEarly) this.#tellShort(turn)
      this.#trim(turn, trim)
    })
    if (stay.length < all.length) await this.#delete(all.filter((each) => !stay.includes(each)))
  }

  /** Deletes checkpoints that nobody needs; what fails is tried again behind the next one. */
  async #delete(checkpoints: readonly StoredCheckpoint[]): Promise<void> {
    for (const { seq } of checkpoints) {
      try {
        await this.#log.checkpoints.delete(seq)
      } catch {
        break
      }
      this.#forget((each) => each === seq)
    }
    await this.#work.storage.freed()
  }

  #forget(isGone: (seq: number) => boolean): void {
    this.#kept = this.#kept.filter(({ seq }) => !isGone(seq))
    this.#inherited = this.#inherited?.filter(({ seq }) => !isGone(seq))
  }

  /** Which prefix is beyond the record's limits, or must go sooner, once two checkpoints stand behind it. */
  #plan(now: number, bytes: number, stay: readonly StoredCheckpoint[]): Trim | undefined {
    const older = this.#kept.at(-2)
    if (older === undefined) return undefined
    const expired = stay.findLast((k) => k.seq <= older.seq && k.at <= now - this.#record.ms)
    const byLimits = bytes > this.#record.bytes ? older : expired
    const to = this.#work.storage.short ? older : byLimits
    const trim = to && this.#upTo(to)
    return trim && { ...trim, isEarly: to !== byLimits }
  }

  #upTo(to: StoredCheckpoint): Pick<Trim, 'upTo' | 'to'> | undefined {
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
    const state = this.#state
    let bytes = old.reduce((sum, o) => sum + o.bytes, 0)
    if (old.length > limits.carryRunsMax || bytes > segmentBytes * limits.carryShareMax) return
    let window: Carried[] = []
    let windowBytes = 0
    for (const o of old) {
      // The old ones go only behind the checkpoint after this one; sends take room meanwhile.
      if (!this.#work.hasRoomToCarry(bytes)) break
      bytes -= o.bytes
      const indexes = Array.from({ length: o.count }, (_, i) => o.index + i)
      const bodies = await this.#fetch(o, indexes)
      // Records that hold the first of them may have been sent off in an ownership that never stored them.
      if (this.#state !== state) return
      const spill = await this.#work.spill(bodies)
      const inlineBytes =
        spill.inlineBytes + o.count * placeBytes + (o.target === undefined ? runBytes : laneBytes)
      if (window.length > 0 && windowBytes + inlineBytes > this.#work.carryBytesMax()) {
        await this.#carryWindow(window, windowBytes, seq)
        window = []
        windowBytes = 0
      }
      window.push({ old: o, bodies: spill.messages, spill })
      windowBytes += inlineBytes
    }
    if (window.length > 0) await this.#carryWindow(window, windowBytes, seq)
  }

  #fetch({ queue, target, seq }: OldBodies, indexes: readonly number[]): Promise<Uint8Array[]> {
    const state = this.#state!
    if (target === undefined)
      return this.#cache.fetch(
        indexes.map(() => seq),
        queue,
        indexes,
      )
    const letter = (index: number) => fetchLetter(this.#log, this.#cache, state, queue, { seq, index })
    return Promise.all(indexes.map(letter))
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

  /** Does what was announced; what fails is tried again with the next trim, or while the store is short. */
  #removeTo(trim: Trim): void {
    this.#left = undefined
    this.#removing = trim
    this.#remove(trim)
      .catch(() => (this.#left = trim))
      .finally(() => {
        if (this.#removing === trim) this.#removing = undefined
      })
  }

  async #remove({ upTo, to, isEarly }: Trim): Promise<void> {
    const { storage } = this.#work
    const before = storage.bytes
    await this.#log.trim(upTo)
    for (const seq of await this.#log.checkpoints.list())
      if (seq < to.seq) await this.#log.checkpoints.delete(seq)
    this.#forget((seq) => seq < to.seq)
    await storage.freed()
    if (before - storage.bytes < this.#worthIt / 2) return
    this.#pausedUntil = 0
    this.#pauseMs = limits.earlyPauseMsMin
    if (isEarly) this.#work.trimmedEarly()
  }
}

/** A body's place in the table of a frame, and what names it in the fact. */
const placeBytes = 16
/** What the fact needs for a run, and a fact of its own for the letters of a lane. */
const runBytes = 32
const laneBytes = 256

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
