import { bodyTableAt, bodyTableBytes, FrameBodies } from '@kiroku/log'

const pageBytes = 64 * 1024
/** The most frames of a page. */
export const pageFrames = 4_096

/** The bodies of one or more records, which are let go of together. */
export interface Kept {
  /** Its number among what all partitions of the node put. */
  readonly put: number
  readonly bytes: number
  /** Sequences of the records, in the order in which they were put, and the highest of them. */
  readonly seqs: readonly number[]
  readonly lastSeq: number
  /** The bodies of the frame in place `i`, or a large body. */
  at(i: number): FrameBodies | Uint8Array
}

/** One record that is kept as it is. */
export class KeptRecord implements Kept {
  readonly put: number
  readonly bytes: number
  readonly seqs: readonly number[]
  readonly #found: FrameBodies | Uint8Array

  constructor(put: number, seq: number, bytes: number, found: FrameBodies | Uint8Array) {
    this.put = put
    this.bytes = bytes
    this.seqs = [seq]
    this.#found = found
  }

  get lastSeq(): number {
    return this.seqs[0]!
  }

  at(): FrameBodies | Uint8Array {
    return this.#found
  }
}

/** The bodies of many small frames, one behind the other: objects for each frame would take several times as much memory. */
export class BodyPage implements Kept {
  static readonly bytes = pageBytes
  readonly put: number
  readonly bytes = pageBytes
  readonly seqs: number[] = []
  lastSeq = 0
  readonly #data = Buffer.allocUnsafeSlow(pageBytes)
  /** Where each frame ends, and the bytes of its body table. */
  readonly #ends: number[] = []
  readonly #tables: number[] = []
  #end = 0

  constructor(put: number) {
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
