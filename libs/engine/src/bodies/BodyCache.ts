import { setImmediate as nextTick } from 'node:timers/promises'
import { FrameBodies, largeBodyOf, type PartitionLog } from '@kiroku/log'
import { ChurnMap, KirokuError, isKirokuError } from '@kiroku/protocol'
import { limits } from '../limits.ts'
import { BodyMemory } from './BodyMemory.ts'

/** The bodies of one frame, or one large body. */
interface Entry {
  readonly frame: FrameBodies | undefined
  readonly body: Uint8Array | undefined
  readonly bytes: number
  /** Its number among what all partitions of the node put. */
  readonly put: number
}

/**
 * Bodies by the record they lie in: what was appended or read last, as far as the node's memory for bodies goes; the rest is
 * read ahead from the log. What is not stored yet stays, whatever the limit: it is not in the log.
 */
export class BodyCache {
  readonly #log: PartitionLog
  #memory: BodyMemory
  readonly #entries = new ChurnMap<number, Entry>()
  /** Stretches of the log that are being read. */
  readonly #reading: { readonly from: number; readonly to: number; readonly done: Promise<unknown> }[] = []
  #leaving: Promise<void> = Promise.resolve()
  #bytes = 0
  #lastSeq = 0

  constructor(log: PartitionLog, memory: BodyMemory) {
    this.#log = log
    this.#memory = memory
    memory.join(this)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Keeps the bodies of a frame, in its record: views of each would be many for the garbage collector to visit. */
  putFrame(seq: number, record: Uint8Array): void {
    const frame = new FrameBodies(record)
    if (!frame.isEmpty) this.#put(seq, frame, undefined, record.length)
  }

  /** Keeps a large body. */
  putBody(seq: number, body: Uint8Array): void {
    this.#put(seq, undefined, body, body.length)
  }

  /** Says how far the log can be read. */
  stored(seq: number): void {
    this.#lastSeq = seq
  }

  /** The partition is no longer owned: what is stored goes, and others of the node have its memory. */
  end(): void {
    this.#memory.leave(this, this.#bytes)
    this.#memory = new BodyMemory()
    this.#bytes = 0
    for (const [seq, { bytes }] of this.#entries)
      if (seq <= this.#lastSeq) this.#entries.delete(seq)
      else this.#bytes += bytes
    this.#memory.join(this)
    this.#memory.count(this.#bytes)
  }

  #put(seq: number, frame: FrameBodies | undefined, body: Uint8Array | undefined, bytes: number): void {
    const had = this.#entries.get(seq)?.bytes
    if (had !== undefined) this.#entries.delete(seq)
    const added = bytes - (had ?? 0)
    this.#bytes += added
    this.#entries.set(seq, { frame, body, bytes, put: this.#memory.count(added) })
    this.#memory.fit()
  }

  /** When the entry that would go first was put; undefined: there is none that may go. */
  get oldest(): number | undefined {
    return this.#oldest()?.[1].put
  }

  /** Lets that entry go, and returns its bytes. */
  dropOldest(): number {
    const [seq, { bytes }] = this.#oldest()!
    this.#entries.delete(seq)
    this.#bytes -= bytes
    return bytes
  }

  /** The stored entry that was put first, unless it is the only one: that was put to be used. */
  #oldest(): readonly [number, Entry] | undefined {
    let found: readonly [number, Entry] | undefined
    for (const each of this.#entries) {
      if (found !== undefined) return found
      if (each[0] <= this.#lastSeq) found = each
    }
    return undefined
  }

  /** The body if it is in the cache. */
  peek(seq: number, queue: number, index: number): Uint8Array | undefined {
    const ref = this.#entries.get(seq)?.frame?.body(queue, index)
    if (ref === undefined || ref instanceof Uint8Array) return ref
    return this.#entries.get(ref.seq)?.body
  }

  /** Several bodies, from the log where they are not in the cache. Errors: `LogDamaged`, and what reading throws. */
  async fetch(seqs: readonly number[], queue: number, indexes: readonly number[]): Promise<Uint8Array[]> {
    const bodies: Uint8Array[] = []
    let waited = false
    for (let i = 0; i < seqs.length; i++) {
      const at = this.peek(seqs[i]!, queue, indexes[i]!)
      if (at === undefined) waited = true
      bodies.push(at ?? (await this.#one(seqs[i]!, queue, indexes[i]!)))
    }
    // One read serves many: they resume one at a time, so that together they do not hold the thread.
    if (waited) await (this.#leaving = this.#leaving.then(nextTick))
    return bodies
  }

  async #one(seq: number, queue: number, index: number): Promise<Uint8Array> {
    const entry = this.#entries.get(seq) ?? (await this.#read(seq))
    const ref = entry.frame?.body(queue, index)
    if (ref === undefined) throw this.#missing(seq)
    if (ref instanceof Uint8Array) return ref
    const body = (this.#entries.get(ref.seq) ?? (await this.#read(ref.seq))).body
    if (body === undefined) throw this.#missing(ref.seq)
    return body
  }

  async #read(seq: number): Promise<Entry> {
    // Deliveries that follow each other need the same stretch of the log: it is read once.
    for (;;) {
      const under = this.#reading.find((r) => r.from <= seq && seq <= r.to)
      if (under === undefined) break
      await under.done.catch(() => undefined)
      const entry = this.#entries.get(seq)
      if (entry !== undefined) return entry
    }
    const entry = await this.#readAhead(seq)
    if (entry === undefined) throw this.#missing(seq)
    return entry
  }

  /** Reads a record and those behind it. The entry is returned, since others may have taken its place in the cache by then. */
  async #readAhead(from: number): Promise<Entry | undefined> {
    let to = from
    const last = Math.min(from + limits.readAheadRecords - 1, this.#lastSeq)
    while (to < last && !this.#entries.has(to + 1)) to++
    const stretch = { from, to, done: this.#readStretch(from, to) }
    this.#reading.push(stretch)
    try {
      return await stretch.done
    } finally {
      this.#reading.splice(this.#reading.indexOf(stretch), 1)
    }
  }

  async #readStretch(from: number, to: number): Promise<Entry | undefined> {
    let bytes = 0
    // Behind the wanted record follow those that will be wanted next; the wanted one is put last so that it stays.
    let wanted: { seq: number; data: Uint8Array } | undefined
    for await (const record of this.#log.read(from, to)) {
      if (record.seq === from) wanted = record
      // A damaged record that was not asked for may lie in a stretch that a repair gave up.
      else if (!record.foreign && !this.#entries.has(record.seq) && !this.#tryKeep(record.seq, record.data))
        break
      bytes += record.data.length
      if (bytes > limits.readAheadBytesMax) break
    }
    if (wanted === undefined) return undefined
    this.#keep(wanted.seq, wanted.data)
    return this.#entries.get(from)
  }

  #tryKeep(seq: number, data: Uint8Array): boolean {
    try {
      this.#keep(seq, data)
      return true
    } catch (e) {
      if (isKirokuError(e)) return false
      throw e
    }
  }

  #keep(seq: number, data: Uint8Array): void {
    const body = largeBodyOf(data)
    if (body === undefined) this.putFrame(seq, data)
    else this.putBody(seq, body)
  }

  #missing(seq: number): KirokuError {
    return new KirokuError(
      'LogDamaged',
      `partition ${this.#log.partition}: the body in record ${seq} is missing`,
    )
  }
}
