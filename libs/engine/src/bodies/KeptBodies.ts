import { bodyTableBytes, FrameBodies } from '@kiroku/log'
import { ChurnMap } from '@kiroku/protocol'
import { BodyMemory } from './BodyMemory.ts'
import { BodyPage, type Kept, KeptRecord, pageBytes, pageFrames, type RecordBodies } from './BodyPage.ts'
import { SeqTable } from './SeqTable.ts'

/** Bytes of a record up to which its bodies share a page with others. */
const smallBytesMax = 4 * 1024

/**
 * The bodies of a partition that are in memory: what was put last, as far as the node's memory for bodies goes. What is not stored
 * yet stays, whatever the limit: it is not in the log.
 */
export class KeptBodies {
  #memory: BodyMemory
  /** By number, in the order in which it was put. */
  readonly #kept = new ChurnMap<number, Kept>()
  /** Where the bodies of a record are: the number of the page or record that keeps them, and their place in it. */
  readonly #places = new SeqTable()
  readonly #freeNumbers: number[] = []
  /** The page that small frames are added to. */
  #page: BodyPage | undefined
  #latest: Kept | undefined
  #bytes = 0
  /** Records up to this one are stored. */
  storedSeq = 0
  /** What was found last: deliveries ask for one message of a frame after the other. */
  #foundSeq = 0
  #found: RecordBodies | undefined

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
    if (this.#page?.fits(record) !== true)
      this.#page = this.#keep(new BodyPage(this.#nextNumber(), this.#count(pageBytes)))
    this.#place(seq, this.#page, this.#page.add(seq, record))
  }

  /** Keeps a large body. */
  putBody(seq: number, body: Uint8Array): void {
    this.#putRecord(seq, body.length, body)
  }

  #putRecord(seq: number, bytes: number, found: RecordBodies): void {
    this.#forget(seq)
    this.#place(seq, this.#keep(new KeptRecord(this.#nextNumber(), this.#count(bytes), seq, bytes, found)), 0)
  }

  /** The bodies of a record are in place `i` of what keeps them. */
  #place(seq: number, kept: Kept, i: number): void {
    this.#latest = kept
    this.#places.set(seq, kept.number * pageFrames + i + 1)
    this.#memory.fit()
  }

  #count(bytes: number): number {
    this.#bytes += bytes
    return this.#memory.count(bytes)
  }

  #nextNumber(): number {
    return this.#freeNumbers.pop() ?? this.#kept.size
  }

  #keep<K extends Kept>(kept: K): K {
    this.#kept.set(kept.number, kept)
    return kept
  }

  /** Makes whatever was kept of a record before impossible to find. */
  #forget(seq: number): void {
    this.#found = undefined
    const place = this.#places.get(seq)
    if (place === 0) return
    const kept = this.#kept.get(numberOf(place))!
    if (kept instanceof BodyPage) return this.#places.delete(seq)
    this.#memory.count(-kept.bytes)
    this.#drop(kept)
  }

  #drop(kept: Kept): void {
    this.#found = undefined
    const { number, seqs, bytes } = kept
    for (const seq of seqs) if (numberOf(this.#places.get(seq)) === number) this.#places.delete(seq)
    this.#kept.delete(number)
    this.#freeNumbers.push(number)
    this.#bytes -= bytes
    if (this.#page === kept) this.#page = undefined
  }

  /** What the record holds, if it is in memory. */
  find(seq: number): RecordBodies | undefined {
    if (seq === this.#foundSeq && this.#found !== undefined) return this.#found
    const place = this.#places.get(seq)
    if (place === 0) return undefined
    this.#foundSeq = seq
    return (this.#found = this.#kept.get(numberOf(place))!.at((place - 1) % pageFrames))
  }

  has(seq: number): boolean {
    return this.#places.get(seq) !== 0
  }

  /** When what would go first was put; undefined: there is nothing that may go. */
  get oldest(): number | undefined {
    return this.#oldest()?.put
  }

  /** Drops that, and returns its bytes. */
  dropOldest(): number {
    const kept = this.#oldest()!
    this.#drop(kept)
    return kept.bytes
  }

  /** What was put first and is stored, unless it is also what was put last: that was put to be used. */
  #oldest(): Kept | undefined {
    for (const kept of this.#kept.values())
      if (kept.lastSeq <= this.storedSeq) return kept === this.#latest ? undefined : kept
    return undefined
  }

  /** What is stored goes, and others of the node have its memory. */
  end(): void {
    this.#memory.leave(this, this.#bytes)
    this.#memory = new BodyMemory()
    for (const kept of this.#kept.values()) if (kept.lastSeq <= this.storedSeq) this.#drop(kept)
    this.#memory.join(this)
    this.#memory.count(this.#bytes)
  }
}

const numberOf = (place: number): number => Math.floor((place - 1) / pageFrames)
