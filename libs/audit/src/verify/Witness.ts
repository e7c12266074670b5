import { hexOf, type DecodedRecord } from '@kiroku/log'

/** Something beside a log that says which hash a record of it had: an anchor, the index, a saved state. */
export interface Witness {
  readonly partition: number
  readonly seq: number
  /** Hash of the record, in hex digits. */
  readonly hash: string
  /** What it is, for people, like "anchor 7". */
  readonly name: string
  /**
   * Kept where the record's keeper cannot write: a repair on record does not explain another record. Those beside the log
   * are rebuilt after a repair, and may not be yet.
   */
  readonly isOutside?: true
}

/** What witnesses say of one partition. */
export interface WitnessReport {
  /** Witnesses whose record is the one that they saw. */
  readonly agreed: number
  /** Those whose record was trimmed, or given up by a repair on record. */
  readonly silent: number
  /** Last record that one of them vouches for, with all before it; 0: none. */
  readonly upTo: number
  /** The first that saw another record; absent: none did. */
  readonly contradiction?: { readonly seq: number; readonly message: string }
}

/** Compares a partition's records, fed in order, with what witnesses saw of them. */
export class WitnessCheck {
  readonly #witnesses: readonly Witness[]
  readonly #agreed = new Set<Witness>()
  #next = 0

  constructor(witnesses: readonly Witness[], partition: number) {
    this.#witnesses = witnesses.filter((each) => each.partition === partition).sort((a, b) => a.seq - b.seq)
  }

  /** Takes the next record of Kiroku. */
  pass(seq: number, { hash }: DecodedRecord): void {
    for (; ; this.#next++) {
      const witness = this.#witnesses[this.#next]
      if (witness === undefined || witness.seq > seq) return
      if (witness.seq === seq && witness.hash === hexOf(hash)) this.#agreed.add(witness)
    }
  }

  /**
   * What was found; undefined: there are no witnesses of the partition.
   * @param firstSeq the first sequence of the log
   * @param lastSeq the last one
   * @param readSeq up to where it could be read
   * @param givenUpFrom the first record that a repair on record gave up; infinity: there was none
   */
  report(firstSeq: number, lastSeq: number, readSeq: number, givenUpFrom: number): WitnessReport | undefined {
    if (this.#witnesses.length === 0) return undefined
    let [silent, upTo] = [0, 0]
    let contradiction: WitnessReport['contradiction']
    for (const witness of this.#witnesses) {
      const { seq, isOutside } = witness
      if (this.#agreed.has(witness)) upTo = seq
      else if (seq < firstSeq || (isOutside !== true && seq >= givenUpFrom)) silent++
      else if (seq <= readSeq || readSeq === lastSeq)
        contradiction ??= { seq, message: contradictionText(witness, lastSeq) }
    }
    const found = { agreed: this.#agreed.size, silent, upTo }
    return contradiction === undefined ? found : { ...found, contradiction }
  }
}

const contradictionText = ({ seq, name }: Witness, lastSeq: number): string =>
  seq > lastSeq
    ? `the log ends at ${lastSeq}, but ${name} saw record ${seq}`
    : `record ${seq} is not the one that ${name} saw: it, or one before it, was changed`
