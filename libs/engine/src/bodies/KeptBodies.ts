import { bodyTableBytes, FrameBodies } from '@kiroku/log'
import { ChurnMap } from '@kiroku/protocol'
import { BodyMemory } from './BodyMemory.ts'
import { BodyPage, type Kept, KeptRecord, pageFrames } from './BodyPage.ts'
import { SeqTable } from './SeqTable.ts'

/** Bytes of a record up to which its bodies share a page with others. */
const smallBytesMax = 4 * 1024

/**
 * The bodies of a partition that are in memory: what was put last, as far as the node's memory for bodies goes. What is not stored
 * yet stays, whatever the limit: it is not in the log.
 */
export class KeptBodies {
  #memory: BodyMemory
  /** By numbers of its own, in the order in which it was put. */
  readonly #kept = new ChurnMap<number, Kept>()
  /** Where the bodies of a record are: the number of what keeps them, and their place there. */
  readonly #places = new SeqTable()
  readonly #freeNumbers: number[] = []
  /** Which page small frames go to. */
  #page: { readonly number: number; readonly page: BodyPage } | undefined
  #latest: Kept | undefined
  #bytes = 0
  #lastSeq = 0
  /** What was found last: deliveries ask for one message of a frame after the other. */
  #foundSeq = 0
  #found: FrameBodies | Uint8Array | undefined

  constructor(memory: BodyMemory) {
    this.#memory = memory
    memory.join(this)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Keeps the bodies of a frame, if it has any. */
  putFrame(seq: number, record: Uint8Array): void {
    if (bodyTableBytes(record) === 0) return
    if (record.length > smallBytesMax) return this.#putRecord(seq, record.length, FrameBodies.of(record))
    this.#forget(seq)
    if (this.#page?.page.fits(record) !== true) {
      const page = new BodyPage(this.#count(BodyPage.bytes))
      this.#page = { number: this.#keep(page), page }
    }
    const { number, page } = this.#page!
    this.#latest = page
    this.#places.set(seq, number * pageFrames + page.add(seq, record) + 1)
    this.#memory.fit()
  }

  /** Keeps a large body. */
  putBody(seq: number, body: Uint8Array): void {
    this.#putRecord(seq, body.length, body)
  }

  #putRecord(seq: number, bytes: number, found: FrameBodies | Uint8Array): void {
    this.#forget(seq)
    const record = new KeptRecord(this.#count(bytes), seq, bytes, found)
    this.#latest = record
    this.#places.set(seq, this.#keep(record) * pageFrames + 1)
    this.#memory.fit()
  }

  #count(bytes: number): number {
    this.#bytes += bytes
    return this.#memory.count(bytes)
  }

  /** Returns its number. */
  #keep(kept: Kept): number {
    const number = this.#freeNumbers.pop() ?? this.#kept.size
    this.#kept.set(number, kept)
    return number
  }

  /** Whatever was in the place of a record is no longer found. */
  #forget(seq: number): void {
    this.#found = undefined
    const place = this.#places.get(seq)
    if (place === 0) return
    const number = numberOf(place)
    const kept = this.#kept.get(number)!
    if (kept instanceof BodyPage) return this.#places.delete(seq)
    this.#memory.count(-kept.bytes)
    this.#drop(number, kept)
  }

  #drop(number: number, kept: Kept): void {
    this.#found = undefined
    for (const seq of kept.seqs) if (numberOf(this.#places.get(seq)) === number) this.#places.delete(seq)
    this.#kept.delete(number)
    this.#freeNumbers.push(number)
    this.#bytes -= kept.bytes
    if (this.#page?.page === kept) this.#page = undefined
  }

  /** The bodies of a frame, or a large body, by its record. */
  find(seq: number): FrameBodies | Uint8Array | undefined {
    if (seq === this.#foundSeq && this.#found !== undefined) return this.#found
    const place = this.#places.get(seq)
    if (place === 0) return undefined
    this.#foundSeq = seq
    return (this.#found = this.#kept.get(numberOf(place))!.at((place - 1) % pageFrames))
  }

  has(seq: number): boolean {
    return this.#places.get(seq) !== 0
  }

  /** Says up to where records are stored. */
  stored(seq: number): void {
    this.#lastSeq = seq
  }

  /** When what would go first was put; undefined: there is nothing that may go. */
  get oldest(): number | undefined {
    return this.#oldest()?.[1].put
  }

  /** Lets that go, and returns its bytes. */
  dropOldest(): number {
    const [number, kept] = this.#oldest()!
    this.#drop(number, kept)
    return kept.bytes
  }

  /** What was put first and is stored, unless it is also what was put last: that was put to be used. */
  #oldest(): readonly [number, Kept] | undefined {
    for (const each of this.#kept)
      if (each[1].lastSeq <= this.#lastSeq) return each[1] === this.#latest ? undefined : each
    return undefined
  }

  /** What is stored goes, and others of the node have its memory. */
  end(): void {
    this.#memory.leave(this, this.#bytes)
    this.#memory = new BodyMemory()
    for (const [number, kept] of this.#kept) if (kept.lastSeq <= this.#lastSeq) this.#drop(number, kept)
    this.#memory.join(this)
    this.#memory.count(this.#bytes)
  }
}

const numberOf = (place: number): number => Math.floor((place - 1) / pageFrames)
