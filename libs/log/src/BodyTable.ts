import { KirokuError } from '@kiroku/protocol'
import type { BodyRef, BodySection } from './Frame.ts'

/**
 * The table says per queue section: queue id, count, then one number per body: twice its length, or twice the
 * length + 1 and the sequence of the record that holds it. All numbers are LEB128 of up to 2^53.
 */
let scratch = new Uint8Array(64 * 1024)
let at = 0

const numberBytesMax = 8

const reserve = (numbers: number): void => {
  const needed = at + numbers * numberBytesMax
  if (needed <= scratch.length) return
  const larger = new Uint8Array(Math.max(needed, scratch.length * 2))
  larger.set(scratch)
  scratch = larger
}

const writeNumber = (value: number): void => {
  let rest = value
  while (rest >= 0x80) {
    scratch[at++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  scratch[at++] = rest
}

/** A table that was written, and the bytes of the bodies after it. The table is valid until the next call. */
interface WrittenTable {
  readonly table: Uint8Array
  readonly bodiesBytes: number
}

/** Writes the body table of a frame. A queue may have one section only. */
export const writeBodyTable = (sections: readonly BodySection[]): WrittenTable => {
  at = 0
  let bodiesBytes = 0
  const seen = new Set<number>()
  for (const { queue, bodies } of sections) {
    if (seen.has(queue))
      throw new KirokuError('Internal', `queue ${queue} has two body sections in one frame`)
    seen.add(queue)
    reserve(2 + bodies.length * 2)
    writeNumber(queue)
    writeNumber(bodies.length)
    for (const body of bodies) {
      if (body instanceof Uint8Array) {
        writeNumber(body.length * 2)
        bodiesBytes += body.length
      } else {
        writeNumber(body.bytes * 2 + 1)
        writeNumber(body.seq)
      }
    }
  }
  return { table: scratch.subarray(0, at), bodiesBytes }
}

/** Where the bodies of one section are; built once, read at random. */
export class SectionIndex {
  readonly queue: number
  readonly count: number
  readonly #record: Uint8Array
  /** Per body: offset in the record, or the sequence of the record that holds it. */
  readonly #places: Float64Array
  /** Per body: its length, negative minus one when it has a record of its own. */
  readonly #lengths: Int32Array
  constructor(queue: number, record: Uint8Array, places: Float64Array, lengths: Int32Array) {
    this.queue = queue
    this.count = lengths.length
    this.#record = record
    this.#places = places
    this.#lengths = lengths
  }
  /** The body at `index`, as a view into the record. */
  body(index: number): BodyRef {
    const length = this.#lengths[index]
    if (length === undefined)
      throw new KirokuError('Internal', `queue ${this.queue} has no body ${index} in this frame`)
    const place = this.#places[index]!
    return length < 0 ? { seq: place, bytes: -1 - length } : this.#record.subarray(place, place + length)
  }
  /** All bodies, in order. */
  bodies(): BodyRef[] {
    return Array.from(this.#lengths, (_, index) => this.body(index))
  }
}

/** Reads the numbers of a table. */
class TableReader {
  readonly #record: Uint8Array
  readonly #to: number
  #position: number

  constructor(record: Uint8Array, from: number, to: number) {
    this.#record = record
    this.#position = from
    this.#to = to
  }

  get left(): number {
    return this.#to - this.#position
  }

  next(): number {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      if (this.left <= 0) throw tooShort()
      const byte = this.#record[this.#position++]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  /** The number of bodies of a section, each of which takes a byte at least. */
  count(): number {
    const count = this.next()
    if (count > this.left) throw tooShort()
    return count
  }
}

const tooShort = (): KirokuError => new KirokuError('LogDamaged', 'the body table of a frame ends too early')

/** Reads the body table of `record` between `from` and `to`; the bodies follow from `to` on. */
export const readBodyTable = (record: Uint8Array, from: number, to: number): Map<number, SectionIndex> => {
  const sections = new Map<number, SectionIndex>()
  const reader = new TableReader(record, from, to)
  let place = to
  while (reader.left > 0) {
    const queue = reader.next()
    const count = reader.count()
    const places = new Float64Array(count)
    const lengths = new Int32Array(count)
    for (let i = 0; i < count; i++) {
      const tagged = reader.next()
      if (tagged % 2 === 0) {
        const length = tagged / 2
        lengths[i] = length
        places[i] = place
        place += length
      } else {
        lengths[i] = -1 - (tagged - 1) / 2
        places[i] = reader.next()
      }
    }
    sections.set(queue, new SectionIndex(queue, record, places, lengths))
  }
  if (place > record.length) throw new KirokuError('LogDamaged', 'the bodies of a frame end too early')
  return sections
}

/** Finds one body without an index, which takes more work to build than a short table takes to read. The table comes first. */
export const findBody = (
  bytes: Uint8Array,
  tableBytes: number,
  queue: number,
  index: number,
): BodyRef | undefined => {
  const reader = new TableReader(bytes, 0, tableBytes)
  let place = tableBytes
  while (reader.left > 0) {
    const isIts = reader.next() === queue
    const count = reader.count()
    for (let i = 0; i < count; i++) {
      const tagged = reader.next()
      const isInline = tagged % 2 === 0
      const length = Math.floor(tagged / 2)
      const seq = isInline ? 0 : reader.next()
      if (isIts && i === index) return isInline ? viewOf(bytes, place, length) : { seq, bytes: length }
      if (isInline) place += length
    }
    if (isIts) return undefined
  }
  return undefined
}

const viewOf = (record: Uint8Array, at: number, length: number): Uint8Array => {
  if (at + length > record.length) throw new KirokuError('LogDamaged', 'the bodies of a frame end too early')
  return record.subarray(at, at + length)
}
