import { decodeRecord, equalBytes, zeroHash, type PartitionLog } from '@kiroku/log'
import { PartitionState, restore } from '@kiroku/partition'
import { KirokuError, isKirokuError } from '@kiroku/protocol'
import type { DecodeCheckpoint } from './Checkpoint.ts'
import type { SavedState, SavedStateNote, SavedStateStore } from './SavedState.ts'

/** A state from which a replay can start. */
export interface ReplayStart {
  readonly seq: number
  readonly hash: Uint8Array
  readonly work: number
  readonly state: PartitionState
}

/** A state known without a replay. */
type Known = Pick<SavedState, 'seq' | 'hash' | 'work' | 'snapshot'>

/** The states that a partition's replay can start from: moments of the auditor and checkpoints of the engine. */
export class ReplayStarts {
  readonly #log: PartitionLog
  readonly #decode: DecodeCheckpoint
  readonly #moments: SavedStateStore | undefined

  constructor(log: PartitionLog, decode: DecodeCheckpoint, moments: SavedStateStore | undefined) {
    this.#log = log
    this.#decode = decode
    this.#moments = moments
  }

  /** The newest state up to `near`, or without it the oldest there is. Errors: `BeyondRecord`. */
  async find(near: number | undefined): Promise<ReplayStart> {
    const { firstSeq } = await this.#log.state()
    const known = await this.#known(firstSeq)
    const order = near === undefined ? known : known.filter(({ seq }) => seq <= near).reverse()
    if (near === undefined && firstSeq === 1) return this.#beginning()
    for (const each of order) {
      const start = await this.#open(each.seq, each.note, firstSeq)
      if (start !== undefined) return start
    }
    if (firstSeq === 1) return this.#beginning()
    const from = known[0]?.seq ?? firstSeq
    throw new KirokuError(
      'BeyondRecord',
      `the record of partition ${this.#log.partition} begins with ${firstSeq}, and its state is known from ${from} on`,
    )
  }

  /**
   * The first sequence after which the state is known, without reading it; 0 is the beginning. Undefined:
   * none is.
   */
  async firstKnown(): Promise<number | undefined> {
    const { firstSeq } = await this.#log.state()
    return firstSeq === 1 ? 0 : (await this.#known(firstSeq))[0]?.seq
  }

  /** The newest state before a sequence from which on nothing known holds any more. */
  async before(seq: number): Promise<ReplayStart> {
    const { partition } = this.#log
    for (const note of (await this.#moments?.list(partition)) ?? [])
      if (note.seq >= seq) await this.#moments?.delete(partition, note.seq)
    return this.find(seq - 1)
  }

  /** The state at a sequence, if it is known. */
  async at(seq: number): Promise<ReplayStart | undefined> {
    const { firstSeq } = await this.#log.state()
    const notes = (await this.#moments?.list(this.#log.partition)) ?? []
    return this.#open(
      seq,
      notes.findLast((n) => n.seq === seq),
      firstSeq,
    )
  }

  /** Drops moments that the record no longer reaches: no replay can start from them. */
  async dropTrimmed(): Promise<void> {
    const { firstSeq } = await this.#log.state()
    for (const { seq } of (await this.#moments?.list(this.#log.partition)) ?? [])
      if (seq < firstSeq - 1) await this.#moments?.delete(this.#log.partition, seq)
  }

  #beginning(): ReplayStart {
    return { seq: 0, hash: zeroHash, work: 0, state: new PartitionState(this.#log.partition) }
  }

  /** Known states that still adjoin the record, oldest first. */
  async #known(
    firstSeq: number,
  ): Promise<{ readonly seq: number; readonly note: SavedStateNote | undefined }[]> {
    const notes = (await this.#moments?.list(this.#log.partition)) ?? []
    const bySeq = new Map<number, SavedStateNote | undefined>()
    for (const seq of await this.#log.checkpoints.list()) bySeq.set(seq, undefined)
    for (const note of notes) bySeq.set(note.seq, note)
    return [...bySeq]
      .map(([seq, note]) => ({ seq, note }))
      .filter(({ seq }) => seq >= firstSeq - 1)
      .sort((a, b) => a.seq - b.seq)
  }

  /** Reads a state, and checks it against its record. */
  async #open(
    seq: number,
    note: SavedStateNote | undefined,
    firstSeq: number,
  ): Promise<ReplayStart | undefined> {
    const { partition } = this.#log
    const moment = note === undefined ? undefined : await this.#moments?.get(partition, seq)
    if (moment !== undefined) {
      const start = await this.#standing(moment, firstSeq)
      if (start !== undefined) return start
      await this.#moments?.delete(partition, seq)
    }
    const known = await this.#checkpoint(seq)
    return known && this.#standing(known, firstSeq)
  }

  async #checkpoint(seq: number): Promise<Known | undefined> {
    const bytes = await this.#log.checkpoints.get(seq)
    if (bytes === undefined) return undefined
    try {
      const checkpoint = this.#decode(bytes)
      if (checkpoint === undefined) return undefined
      const { hash, snapshot, seq: own } = checkpoint
      const notes = (await this.#moments?.list(this.#log.partition)) ?? []
      const work = notes.findLast((note) => note.seq <= seq)?.work ?? 0
      return own === seq ? { seq, hash, snapshot, work } : undefined
    } catch (e) {
      // `verify` reports damaged checkpoints; another state may be known.
      if (isKirokuError(e)) return undefined
      throw e
    }
  }

  /** Errors: those of reading the log. */
  async #standing({ seq, hash, work, snapshot }: Known, firstSeq: number): Promise<ReplayStart | undefined> {
    if (seq >= firstSeq) {
      const stored = await this.#log.get(seq)
      if (stored === undefined || stored.foreign) return undefined
      try {
        if (!equalBytes(decodeRecord(stored.data).hash, hash)) return undefined
      } catch (e) {
        if (isKirokuError(e)) return undefined
        throw e
      }
    }
    return { seq, hash, work, state: restore(snapshot) }
  }
}
