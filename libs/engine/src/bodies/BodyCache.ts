import { setImmediate as nextTick } from 'node:timers/promises'
import { FrameBodies, largeBodyOf, type PartitionLog } from '@kiroku/log'
import { KirokuError, isKirokuError } from '@kiroku/protocol'
import { limits } from '../limits.ts'
import type { BodyMemory } from './BodyMemory.ts'
import type { RecordBodies } from './BodyPage.ts'
import { KeptBodies } from './KeptBodies.ts'

/** Bodies by the record they lie in: those in memory, and the rest read ahead from the log. */
export class BodyCache {
  readonly #log: PartitionLog
  readonly #kept: KeptBodies
  /** Stretches of the log that are being read. */
  readonly #reading: { readonly from: number; readonly to: number; readonly done: Promise<unknown> }[] = []
  #leaving: Promise<void> = Promise.resolve()

  constructor(log: PartitionLog, memory: BodyMemory) {
    this.#log = log
    this.#kept = new KeptBodies(memory)
  }

  get bytes(): number {
    return this.#kept.bytes
  }

  putFrame(seq: number, record: Uint8Array): void {
    this.#kept.putFrame(seq, record)
  }

  putBody(seq: number, body: Uint8Array): void {
    this.#kept.putBody(seq, body)
  }

  /** Says how far the log can be read. */
  stored(seq: number): void {
    this.#kept.storedSeq = seq
  }

  /** The partition is no longer owned: what is stored goes, and others of the node have its memory. */
  end(): void {
    this.#kept.end()
  }

  /** The body if it is in the cache. */
  peek(seq: number, queue: number, index: number): Uint8Array | undefined {
    const frame = this.#kept.find(seq)
    const ref = frame instanceof FrameBodies ? frame.body(queue, index) : undefined
    if (ref === undefined || ref instanceof Uint8Array) return ref
    const body = this.#kept.find(ref.seq)
    return body instanceof Uint8Array ? body : undefined
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
    const frame = this.#kept.find(seq) ?? (await this.#read(seq))
    const ref = frame instanceof FrameBodies ? frame.body(queue, index) : undefined
    if (ref === undefined) throw this.#missing(seq)
    if (ref instanceof Uint8Array) return ref
    const body = this.#kept.find(ref.seq) ?? (await this.#read(ref.seq))
    if (body instanceof FrameBodies) throw this.#missing(ref.seq)
    return body
  }

  async #read(seq: number): Promise<RecordBodies> {
    // Deliveries that follow each other need the same stretch of the log: it is read once.
    for (;;) {
      const under = this.#reading.find((r) => r.from <= seq && seq <= r.to)
      if (under === undefined) break
      await under.done.catch(() => undefined)
      const found = this.#kept.find(seq)
      if (found !== undefined) return found
    }
    const found = await this.#readAhead(seq)
    if (found === undefined) throw this.#missing(seq)
    return found
  }

  /** Reads a record and those behind it. Its bodies are returned, since others may have taken their place in the cache by then. */
  async #readAhead(from: number): Promise<RecordBodies | undefined> {
    let to = from
    const last = Math.min(from + limits.readAheadRecords - 1, this.#kept.storedSeq)
    while (to < last && !this.#kept.has(to + 1)) to++
    const stretch = { from, to, done: this.#readStretch(from, to) }
    this.#reading.push(stretch)
    try {
      return await stretch.done
    } finally {
      this.#reading.splice(this.#reading.indexOf(stretch), 1)
    }
  }

  async #readStretch(from: number, to: number): Promise<RecordBodies | undefined> {
    let bytes = 0
    // Behind the wanted record follow those that will be wanted next; the wanted one is put last so that it stays.
    let wanted: { seq: number; data: Uint8Array } | undefined
    for await (const record of this.#log.read(from, to)) {
      if (record.seq === from) wanted = record
      // A damaged record that was not asked for may lie in a stretch that a repair gave up.
      else if (!record.foreign && !this.#kept.has(record.seq) && !this.#tryKeep(record.seq, record.data))
        break
      bytes += record.data.length
      if (bytes > limits.readAheadBytesMax) break
    }
    if (wanted === undefined) return undefined
    this.#keep(wanted.seq, wanted.data)
    return this.#kept.find(from)
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
