import type { BodyRef, PartitionLog } from '@kiroku/log'
import { type PartitionState, type Turn, decide } from '@kiroku/partition'
import type { LargeBodyWriter } from '../bodies/LargeBodyWriter.ts'
import type { StorageWatch } from '../store/StorageWatch.ts'
import type { KeptCheckpoints } from './KeptCheckpoints.ts'
import type { StoredCheckpoint } from './thin.ts'

/** A prefix of the log that may go. */
export interface Trim {
  readonly upTo: number
  /** The checkpoint that it goes to. */
  readonly to: StoredCheckpoint
  /** The store is short; the record's limits would keep it. */
  readonly isEarly: boolean
}

/** What trims are planned by. */
export interface TrimWork {
  readonly log: PartitionLog
  /** How much of the record is kept. */
  readonly record: { readonly ms: number; readonly bytes: number }
  readonly storage: StorageWatch
  readonly writer: LargeBodyWriter
  /** A trim took this many bytes away; early: before the record's limits asked for it. */
  removed(bytes: number, isEarly: boolean): void
}

/** Plans which prefix of the log goes, announces it in a frame, and takes it away once that is stored. */
export class Trimmer {
  readonly #work: TrimWork
  readonly #kept: KeptCheckpoints
  #state: PartitionState | undefined
  /** Announced in a frame that is not stored yet. */
  #announced: (Trim & { readonly seq: number }) | undefined
  /** An announced trim that is being done, and one that could not be. */
  #removing: Trim | undefined
  #left: Trim | undefined

  constructor(work: TrimWork, kept: KeptCheckpoints) {
    this.#work = work
    this.#kept = kept
  }

  begin(state: PartitionState): void {
    this.#state = state
    this.#left = undefined
  }

  end(): void {
    this.#state = undefined
    this.#announced = undefined
  }

  /** Whether a trim is announced and not stored yet. */
  get isAnnounced(): boolean {
    return this.#announced !== undefined
  }
  /** Whether a trim is still to take something away: until then the log's size says nothing of how large it will be. */
  get isUnderWay(): boolean {
    return this.#announced !== undefined || this.#removing !== undefined
  }

  /** What two checkpoints allow to go whatever the record's limits say. */
  early(): Trim | undefined {
    const { older } = this.#kept
    const trim = older && this.#upTo(older)
    return trim !== undefined && trim.upTo > this.#state!.trimmedTo ? { ...trim, isEarly: true } : undefined
  }

  /**
   * Which prefix is beyond the record's limits, or must go sooner, once two checkpoints stand behind it.
   *
   * @param now partition time in ms
   * @param bytes size of the log with its checkpoints
   * @param stay the checkpoints that stay, oldest first
   */
  plan(now: number, bytes: number, stay: readonly StoredCheckpoint[]): Trim | undefined {
    const { older } = this.#kept
    if (older === undefined) return undefined
    const { record, storage } = this.#work
    const expired = stay.findLast((k) => k.seq <= older.seq && k.at <= now - record.ms)
    const byLimits = bytes > record.bytes ? older : expired
    const to = storage.short ? older : byLimits
    const trim = to && this.#upTo(to)
    return trim && { ...trim, isEarly: to !== byLimits }
  }

  /** Whether a subscription has begun in the past since a checkpoint: that does not say which bodies it needs. */
  needsThePast(checkpointSeq: number): boolean {
    const { filling, restoredSeq } = this.#state!
    return filling.size > 0 || restoredSeq > checkpointSeq
  }

  /** Announces a trim in the frame of a turn. */
  announce(turn: Turn<BodyRef>, trim: Trim): void {
    decide(turn, { type: 'RecordTrim', upTo: trim.upTo })
    this.#announced = { seq: turn.state.frameSeq, ...trim }
  }

  /** Records how short the store is, which is why the log is trimmed early. */
  tellShort(turn: Turn<BodyRef>): void {
    const { freeBytes, bytesMax } = this.#work.storage.room
    const room = { freeBytes: Math.floor(freeBytes), bytesMax }
    if (bytesMax !== Infinity) decide(turn, { type: 'NoteShortStore', ...room })
  }

  /** Everything up to `seq` is stored: what was announced there goes. */
  stored(seq: number): void {
    const trim = this.#announced
    if (trim === undefined || trim.seq > seq) return
    this.#announced = undefined
    this.#removeTo(trim)
  }

  /** Tries a trim again that could not be done. */
  retry(): void {
    if (this.#left !== undefined) this.#removeTo(this.#left)
  }

  #upTo(to: StoredCheckpoint): Pick<Trim, 'upTo' | 'to'> | undefined {
    const last = this.#kept.last!
    if (this.needsThePast(last.seq)) return undefined
    const needed = this.#work.writer.largeBodies.firstNeeded(Math.min(last.oldestBody, last.seq + 1))
    // The record that the checkpoint names stays, so that the chain can be held against it.
    return { upTo: Math.min(to.seq, needed) - 1, to }
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
    const { log, storage } = this.#work
    const before = storage.bytes
    await log.trim(upTo)
    await this.#kept.deleteBefore(to.seq)
    await storage.freed()
    this.#work.removed(before - storage.bytes, isEarly)
  }
}
