import {
  type DecodeCheckpoint,
  Replay,
  type SavePolicy,
  type SavedStateStore,
  type ReplayListener,
} from '@kiroku/audit'
import { decodeRecord, type Log, type PartitionLog } from '@kiroku/log'
import { isKirokuError } from '@kiroku/protocol'
import { IndexIngest } from './IndexIngest.ts'
import type { IndexWriter } from './IndexWriter.ts'

/** Dependencies of a follower. */
export interface FollowerOptions {
  readonly log: Log
  readonly writer: IndexWriter
  readonly decodeCheckpoint: DecodeCheckpoint
  /** Moments to start from and to add to. */
  readonly moments?: SavedStateStore
  readonly keep?: SavePolicy
  /** Further listeners. */
  readonly listeners?: readonly ReplayListener[]
  readonly pause?: () => Promise<void>
  readonly onRecord?: (partition: number, seq: number, events: number) => void
}

/** Keeps the index of one partition up to date with its log. */
export class IndexFollower {
  readonly partition: number
  readonly #options: FollowerOptions
  #log: PartitionLog | undefined
  #ingest: IndexIngest | undefined
  #pass: Replay | undefined
  #stopHearing: (() => void) | undefined

  constructor(partition: number, options: FollowerOptions) {
    this.partition = partition
    this.#options = options
  }

  /** Sequence up to which the index has everything. */
  get reachedSeq(): number {
    const own = this.#ingest?.reachedSeq ?? this.#options.writer.reached(this.partition)?.seq ?? 0
    // Foreign records are passed over, and leave nothing in the index.
    return Math.max(own, this.#pass?.seq ?? 0)
  }
  /** Changes of messages indexed so far. */
  get events(): number {
    return this.#ingest?.events ?? 0
  }
  /** The current end of the log. Errors: those of the log. */
  async lastSeq(): Promise<number> {
    return (await (await this.#opened()).state()).lastSeq
  }

  /** Calls `listener` when the log has more than the index, as far as its owner tells. Errors: those of the log. */
  async onMore(listener: () => void): Promise<void> {
    this.#stopHearing ??= (await this.#opened()).onStored((lastSeq) => {
      if (lastSeq > this.reachedSeq) listener()
    })
  }

  /**
   * Brings the index up to a sequence, or to the current end of the log, and stores it. An index that does
   * not fit the log is rebuilt. Errors: `LogDamaged` and those of the log.
   */
  async run(toSeq?: number): Promise<void> {
    for (let tries = 0; ; tries++) {
      const { pass, ingest } = await this.#begin()
      try {
        await pass.run(toSeq)
      } finally {
        if (!ingest.isStale) this.#options.writer.flush()
      }
      if (!ingest.isStale) return
      if (tries === staleTriesMax) return
      this.#forget()
    }
  }

  /** The next run starts a new pass where the index ends. */
  reset(): void {
    this.#ingest = undefined
    this.#pass = undefined
  }

  /** Forgets everything: the next run starts from the beginning. */
  #forget(): void {
    this.#options.writer.clear(this.partition)
    this.reset()
  }

  async #begin(): Promise<{ readonly pass: Replay; readonly ingest: IndexIngest }> {
    if (this.#pass !== undefined && this.#ingest !== undefined)
      return { pass: this.#pass, ingest: this.#ingest }
    const reached = this.#options.writer.reached(this.partition)
    const readLarge = (seq: number) => this.#largeBody(seq)
    let ingest = new IndexIngest(this.#options.writer, this.partition, readLarge)
    let pass: Replay
    try {
      pass = await this.#open(ingest, reached?.seq)
    } catch (error) {
      if (!isKirokuError(error) || error.id !== 'BeyondRecord' || reached === undefined) throw error
      this.#options.writer.clear(this.partition)
      ingest = new IndexIngest(this.#options.writer, this.partition, readLarge)
      pass = await this.#open(ingest, undefined)
    }
    if (ingest.reachedSeq === 0 && pass.seq > 0) ingest.seed(pass.state, pass.seq)
    this.#ingest = ingest
    this.#pass = pass
    return { pass, ingest }
  }

  /** Opened when it is read: a missing partition must not stop the others. */
  async #opened(): Promise<PartitionLog> {
    return (this.#log ??= await this.#options.log.partition(this.partition))
  }

  async #open(ingest: IndexIngest, near: number | undefined): Promise<Replay> {
    const { decodeCheckpoint, moments, keep, listeners = [], pause, onRecord } = this.#options
    return Replay.open(await this.#opened(), {
      decodeCheckpoint,
      listeners: [ingest, ...listeners],
      ...(near === undefined ? {} : { near }),
      ...(moments === undefined ? {} : { moments }),
      ...(keep === undefined ? {} : { keep }),
      ...(pause === undefined ? {} : { pause }),
      ...(onRecord === undefined
        ? {}
        : { onRecord: (seq: number) => onRecord(this.partition, seq, ingest.events) }),
    })
  }

  async #largeBody(seq: number): Promise<Uint8Array | undefined> {
    const stored = await (await this.#opened()).get(seq)
    if (stored === undefined || stored.foreign) return undefined
    try {
      const record = decodeRecord(stored.data)
      return record.kind === 'body' ? record.body : undefined
    } catch {
      // `verify` reports damage; the index skips this body.
      return undefined
    }
  }

  async close(): Promise<void> {
    this.#stopHearing?.()
    await this.#log?.close()
  }
}

/** How often per run the index of a partition may turn out not to fit. */
const staleTriesMax = 2
