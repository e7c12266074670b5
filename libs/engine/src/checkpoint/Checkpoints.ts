import type { PartitionLog } from '@kiroku/log'
import { snapshotting, type PartitionState, type Snapshot, SnapshotSpace, decide } from '@kiroku/partition'
import type { CheckpointsDescription } from '@kiroku/protocol'
import type { Time } from '../Time.ts'
import type { Append } from '../append/AppendPipeline.ts'
import { limits } from '../limits.ts'
import { BodyCarrier, type CarryWork } from './BodyCarrier.ts'
import { digestOf } from './CheckpointCodec.ts'
import type { CheckpointThreads } from './CheckpointThreads.ts'
import { KeptCheckpoints } from './KeptCheckpoints.ts'
import { Trimmer, type TrimWork } from './Trimmer.ts'
import { encodeAside } from './encodeAside.ts'
import { inTurns } from './inTurns.ts'
import type { Loaded } from './StateLoad.ts'
import type { MadeCheckpoint } from './makeCheckpoint.ts'
import { ResumePoint } from './ResumePoint.ts'
import { bytesOf, thin } from './thin.ts'

/** A copy of the state at a frame that is not a checkpoint yet. */
interface Taken {
  readonly seq: number
  readonly hash: Uint8Array
  readonly at: number
  /** Was begun, and goes on once the frame is stored. */
  readonly copying: Generator<undefined, Snapshot>
  readonly largeBodies: readonly number[]
  /** Whether the log will name it; otherwise it is for the next owner only. */
  readonly isNamed: boolean
}

/** When a checkpoint is due. */
export interface CheckpointPolicy {
  /** The log grew by at least this many bytes, and by four times the last checkpoint. */
  readonly bytesMin: number
  /** Or the last one is this old, in ms, and something happened since. */
  readonly ageMs: number
  /** A state is stored for the next owner when that would have to replay for longer, in ms of a core; absent: it is not. */
  readonly replayMsMax?: number
}

/** What checkpoints are made with, and what the owner does for them. */
export interface CheckpointWork extends CarryWork, Omit<TrimWork, 'removed'> {
  readonly log: PartitionLog
  readonly checkpoints: CheckpointPolicy
  readonly threads: CheckpointThreads
  readonly time: Time
  /** Has a frame written, on which a state can be stored. */
  frame(): void
  /** The log was trimmed before its limits asked for it, and there is room again. */
  trimmedEarly(): void
  /** A checkpoint was stored, or it or the trimming behind it failed; then the log stays longer. */
  ended(seq: number, error: Error | undefined): void
}

/**
 * Makes checkpoints when the log has grown enough, and has it trimmed to the record's limits behind two of them.
 * `decided` runs in a turn, where the state must stand still; encoding and storing go on between turns, on a thread of
 * their own where the state is large.
 */
export class Checkpoints {
  readonly #work: CheckpointWork
  readonly #kept: KeptCheckpoints
  readonly #resume: ResumePoint
  readonly #carrier: BodyCarrier
  readonly #trimmer: Trimmer
  #state: PartitionState | undefined
  #taken: Taken | undefined
  #busy: Taken | undefined
  #space: SnapshotSpace | undefined
  #makingSpace: Promise<void> | undefined
  #isPressing = false
  /** Told once the state that a hand-over asked for is stored, or will not be. */
  #handOver: (() => void) | undefined
  #grown = 0
  #lastBytes = 0
  #lastAt = 0
  /** Where the store is short: until when no checkpoint is made only to let more of the log go, and how long the next pause is. */
  #pausedUntil = 0
  #pauseMs: number = limits.earlyPauseMsMin
  /** The record that the last one stands on; 0 when there is none. */
  lastSeq = 0

  constructor(work: CheckpointWork) {
    this.#work = work
    this.#kept = new KeptCheckpoints(work.log)
    this.#resume = new ResumePoint(work.log.checkpoints)
    this.#carrier = new BodyCarrier(work)
    const { log, record, storage, writer } = work
    const removed = (bytes: number, isEarly: boolean): void => this.#removed(bytes, isEarly)
    this.#trimmer = new Trimmer({ log, record, storage, writer, removed }, this.#kept)
  }

  /**
   * Begins behind the checkpoint that the state was rebuilt from. What was replayed counts: owners may change often.
   *
   * @param at partition time in ms
   */
  begin(loaded: Loaded, at: number): void {
    const { state, sinceMs } = loaded
    this.#state = state
    this.#isPressing = false
    this.#pausedUntil = 0
    this.#grown = loaded.bytes
    this.#lastBytes = loaded.checkpointBytes
    this.#lastAt = sinceMs === 0 ? at : sinceMs
    this.lastSeq = loaded.checkpointSeq
    this.#kept.begin(loaded)
    this.#resume.begin(loaded)
    // When the last checkpoint that the log names was made is not known behind one that it does not: the next one is named.
    if (this.#resume.exists) this.#lastAt = Number.NEGATIVE_INFINITY
    this.#carrier.begin(state)
    this.#trimmer.begin(state)
  }

  /** The state is void: what is under way for it leads to nothing. */
  end(): void {
    this.#state = undefined
    this.#taken = undefined
    this.#busy = undefined
    this.#handOver?.()
    this.#kept.end()
    this.#carrier.end()
    this.#trimmer.end()
  }

  /** How many there are, and their size; undefined: not known yet. */
  describe(): CheckpointsDescription | undefined {
    return this.#kept.describe()
  }

  /** What it would take of a core to replay what lies behind the last stored state, in ms. */
  get replayMs(): number {
    return this.#resume.replayMs
  }

  /** A record went off that is no frame. */
  grew(bytes: number): void {
    this.#grown += bytes
    this.#resume.grew(bytes)
  }

  /**
   * Stores the state for an owner that is about to take over, where that would have much to replay; resolves when that is
   * done, has failed, or takes too long. A large state would, and is left to the replay.
   */
  async handOver(): Promise<void> {
    const { replayMsMax = Infinity } = this.#work.checkpoints
    const isWorthIt = this.#resume.replayMs >= Math.min(limits.handOverReplayMsMax, replayMsMax)
    if (!isWorthIt || this.#work.storage.short || isLarge(this.#state!)) return
    await new Promise<void>((resolve) => {
      const cancel = this.#work.time.after(limits.handOverStoreMs, () => this.#handOver?.())
      this.#handOver = () => {
        this.#handOver = undefined
        cancel()
        resolve()
      }
      this.#work.frame()
    })
  }

  /** A frame was decided; when a checkpoint is due, the state is copied here, between two turns. */
  decided(state: PartitionState, append: Append, at: number): void {
    const { seq, hash, record } = append
    this.grew(record.length)
    if (this.#busy !== undefined || this.#taken !== undefined) return
    const { short } = this.#work.storage
    const { bytesMin, ageMs, replayMsMax = Infinity } = this.#work.checkpoints
    const isNamed =
      this.#grown >= Math.max(bytesMin, limits.checkpointGrowth * this.#lastBytes) ||
      at - this.#lastAt >= ageMs ||
      (short && this.#isDueEarly(at))
    if (short) this.press(at)
    const isWanted = isNamed || (!short && (this.#handOver !== undefined || this.#resume.isDue(replayMsMax)))
    if (!isWanted || this.#waitsForSpace(state)) return
    if (short) {
      this.#pausedUntil = at + this.#pauseMs
      this.#pauseMs = Math.min(2 * this.#pauseMs, limits.earlyPauseMsMax)
    }
    if (isNamed) {
      this.#grown = 0
      this.#lastAt = at
    }
    this.#resume.taken()
    const copying = snapshotting(state, this.#space)
    copying.next()
    this.#taken = { seq, hash, at, copying, largeBodies: this.#work.writer.largeBodies.list(seq), isNamed }
    this.#space = undefined
  }

  /**
   * The store is short: what two checkpoints allow goes at once, and where another one would let more go, a frame
   * goes off that it can stand on.
   */
  press(now: number): void {
    if (this.#state === undefined) return
    this.#trimmer.retry()
    if (this.#isPressing || this.#isAtIt) return
    if (this.#trimmer.early() === undefined && !this.#isDueEarly(now)) return
    this.#isPressing = true
    this.#work.act((turn) => {
      this.#isPressing = false
      // What was asked for may have come by itself meanwhile.
      if (this.#isAtIt) return
      const trim = this.#trimmer.early()
      this.#trimmer.tellShort(turn)
      if (trim !== undefined) this.#trimmer.announce(turn, trim)
    })
  }

  get #isAtIt(): boolean {
    return this.#busy !== undefined || this.#taken !== undefined || this.#trimmer.isAnnounced
  }

  /** Whether the log, short of room, grew enough for a checkpoint, or holds much that the next one would let go. */
  #isDueEarly(now: number): boolean {
    if (this.#grown >= this.#worthIt) return true
    return this.#work.storage.bytes - this.#grown >= this.#worthIt && now >= this.#pausedUntil
  }

  /** Bytes for which a checkpoint pays while the store is short. */
  get #worthIt(): number {
    const share = this.#work.storage.room.bytesMax * limits.earlyShare
    return Math.max(2 * this.#lastBytes, Math.min(this.#work.checkpoints.bytesMin, share))
  }

  #removed(bytes: number, isEarly: boolean): void {
    if (bytes < this.#worthIt / 2) return
    this.#pausedUntil = 0
    this.#pauseMs = limits.earlyPauseMsMin
    if (isEarly) this.#work.trimmedEarly()
  }

  /** A large state is copied into memory that was made ready before; the frame after that takes the copy. */
  #waitsForSpace(state: PartitionState): boolean {
    if (this.#space !== undefined || !isLarge(state)) return false
    this.#makingSpace ??= this.#makeSpace(state).finally(() => (this.#makingSpace = undefined))
    return true
  }

  async #makeSpace(state: PartitionState): Promise<void> {
    this.#space = await inTurns(SnapshotSpace.make(state))
  }

  /** Everything up to `seq` is stored: a copied state becomes a checkpoint, an announced trim is done. */
  stored(seq: number): void {
    this.#trimmer.stored(seq)
    const taken = this.#taken
    if (taken === undefined || taken.seq > seq || this.#busy !== undefined) return
    this.#taken = undefined
    this.#busy = taken
    this.#keep(taken)
      // The next one is tried when the log has grown again.
      .catch((error: unknown) => this.#work.ended(taken.seq, toError(error)))
      .finally(() => {
        if (this.#busy !== taken) return
        this.#busy = undefined
        this.#handOver?.()
      })
  }

  async #keep(taken: Taken): Promise<void> {
    const state = this.#state!
    const { log } = this.#work
    const behind = this.#kept.last?.seq ?? 0
    const { copying, seq, hash, largeBodies, at } = taken
    const snapshot = await inTurns(copying)
    // Only a hand-over waits for a checkpoint.
    const threads = this.#handOver === undefined ? this.#work.threads : undefined
    const made = await encodeAside({ snapshot, seq, hash, largeBodies, behind }, threads)
    if (!taken.isNamed) return this.#busy === taken ? this.#resume.store(seq, made.bytes) : undefined
    await log.checkpoints.put(seq, made.bytes)
    const back = await log.checkpoints.get(seq)
    // Another ownership may have begun meanwhile; it looks for checkpoints itself.
    const isSame = back !== undefined && (await digestOf(back)) === made.digest
    if (this.#busy !== taken) return
    if (!isSame) throw new Error('what was stored reads back differently')
    const { oldestBody, bytes } = made
    this.#work.ended(seq, undefined)
    this.#lastBytes = bytes.length
    this.lastSeq = seq
    this.#kept.add({ seq, at, oldestBody, bytes: bytes.length })
    await this.#resume.replaced(seq, bytes.length)
    if (this.#busy !== taken) return
    this.#work.writer.largeBodies.forget(Math.min(oldestBody, seq + 1), seq)
    this.#trimmer.retry()
    await this.#conclude(state, taken, behind, made)
  }

  /** Records a checkpoint, and trims what it and the one before it make needless; carries forward what little holds that up. */
  async #conclude(
    state: PartitionState,
    { seq, at }: Taken,
    behind: number,
    made: MadeCheckpoint,
  ): Promise<void> {
    // A trim under way will take away more than the log's size says.
    const { isUnderWay } = this.#trimmer
    await this.#kept.lookUp()
    const { bytes, firstSeq, lastSeq } = await this.#work.log.state()
    if (this.#state !== state) return
    const { record } = this.#work
    const { all } = this.#kept
    const stay = thin(all, {
      recordMs: record.ms,
      bytesMax: record.bytes - bytes,
      givenUp: state.givenUp,
    })
    const trim = isUnderWay ? undefined : this.#trimmer.plan(at, bytes + bytesOf(stay), stay)
    const recordBytes = bytes / (lastSeq - firstSeq + 1)
    if (trim !== undefined && made.oldestBody < trim.to.seq)
      await this.#carrier.carry(made.old, {
        oldBytes: recordBytes * (behind - firstSeq),
        bytesMax: recordBytes * (seq - behind),
        seq,
      })
    // What was decided on another state trims less, and carries what may lie elsewhere, or nowhere.
    if (this.#state !== state) return
    const { digest, stateHash } = made
    this.#work.act((turn) => {
      decide(turn, { type: 'RecordCheckpoint', seq, digest, stateHash })
      if (trim === undefined || trim.upTo < firstSeq || this.#trimmer.needsThePast(seq)) return
      if (trim.isEarly) this.#trimmer.tellShort(turn)
      this.#trimmer.announce(turn, trim)
    })
    if (stay.length === all.length) return
    await this.#kept.delete(all.filter((each) => !stay.includes(each)))
    await this.#work.storage.freed()
  }
}

/** A state whose copy takes time and memory that must be made ready before. */
const isLarge = (state: PartitionState): boolean =>
  state.live.top + state.runs.size >= limits.snapshotSpaceFrom

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
