import { bodyTableAt, bodyTableBytes, FrameBodies } from '@kiroku/log'

export const pageBytes = 64 * 1024
/** The most frames of a page. */
export const pageFrames = 4_096

/** What a record holds: the bodies of a frame, or a large body. */
export type RecordBodies = FrameBodies | Uint8Array

/** The bodies of one or more records, which are dropped together. */
export interface Kept {
  readonly number: number
  /** Its place in the order in which all partitions of the node put theirs. */
  readonly put: number
  readonly bytes: number
  /** Sequences of the records, in the order in which they were put, and the highest of them. */
  readonly seqs: readonly number[]
  readonly lastSeq: number
  /** The bodies of the record in place `i`. */
  at(i: number): RecordBodies
}

/** One record that is kept as it is. */
export class KeptRecord implements Kept {
  readonly number: number
  readonly put: number
  readonly bytes: number
  readonly seqs: readonly number[]
  readonly #found: RecordBodies

  constructor(number: number, put: number, seq: number, bytes: number, found: RecordBodies) {
    this.number = number
    this.put = put
    this.bytes = bytes
    this.seqs = [seq]
    this.#found = found
  }

  get lastSeq(): number {
    return this.seqs[0]!
  }

  at(): RecordBodies {
    return this.#found
  }
}

/** The bodies of many small frames, one behind the other: objects for each frame would take several times as much memory. */
export class BodyPage implements Kept {
  readonly number: number
  readonly put: number
  readonly bytes = pageBytes
  readonly seqs: number[] = []
  lastSeq = 0
  readonly #data = Buffer.allocUnsafeSlow(pageBytes)
  /** Where each frame ends, and the bytes of its body table. */
  readonly #ends: number[] = []
  readonly #tables: number[] = []
  #end = 0

  constructor(number: number, put: number) {
    this.number = number
    this.put = put
  }

  /** Whether the bodies of a frame fit in. */
  fits(record: Uint8Array): boolean {
    return this.seqs.length < pageFrames && record.length - bodyTableAt(record) <= pageBytes - this.#end
  }

  /** Copies the bodies of a frame, and returns their place. */
  add(seq: number, record: Uint8Array): number {
    const part = record.subarray(bodyTableAt(record))
    this.#data.set(part, this.#end)
    this.#end += part.length
    this.#ends.push(this.#end)
    this.#tables.push(bodyTableBytes(record))
    if (seq > this.lastSeq) this.lastSeq = seq
    return this.seqs.push(seq) - 1
  }

  at(i: number): FrameBodies {
    const from = i === 0 ? 0 : this.#ends[i - 1]!
    return new FrameBodies(this.#data.subarray(from, this.#ends[i]), this.#tables[i]!)
  }
}
