import { ChainError, hexOf, type DecodedRecord } from '@kiroku/log'

/** A node's note outside the log: the last record of a partition that it saw stored. */
export interface TailNote {
  readonly partition: number
  /** Epoch of the ownership that noted it. */
  readonly epoch: number
  readonly seq: number
  /** Hash of the record, in hex digits. */
  readonly hash: string
}

/** Compares a log's records, fed in order, with a note. */
export class TailCheck {
  readonly #note: TailNote | undefined
  #stands = false
  /** The first record that a later owner wrote where those of the note's owner were. */
  #overwrittenFrom: number | undefined

  constructor(note: TailNote | undefined) {
    this.#note = note
  }

  /** Takes the next record. */
  pass(seq: number, record: DecodedRecord): void {
    const note = this.#note
    if (note === undefined || seq > note.seq) return
    if (record.epoch > note.epoch) this.#overwrittenFrom ??= seq
    if (seq === note.seq) this.#stands = hexOf(record.hash) === note.hash
  }

  /**
   * What the log lost of its end, unless a repair of `repairedEpoch` or later gave up what was known before.
   * @param firstSeq the first sequence that was fed
   * @param lastSeq the last one
   */
  problem(firstSeq: number, lastSeq: number, repairedEpoch: number): ChainError | undefined {
    const note = this.#note
    if (note === undefined || this.#stands || note.epoch < repairedEpoch || note.seq < firstSeq)
      return undefined
    const lost = (seq: number, what: string) =>
      new ChainError('LogShortened', note.partition, seq, `${what} a node saw record ${note.seq} stored`)
    const from = this.#overwrittenFrom
    if (from !== undefined) return lost(from, 'this is not the record that was there:')
    if (note.seq > lastSeq) return lost(lastSeq + 1, `the log ends at ${lastSeq}, but`)
    return lost(note.seq, 'this is not the record that was there:')
  }
}
