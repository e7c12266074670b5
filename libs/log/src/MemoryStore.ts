import { KirokuError } from '@kiroku/protocol'
import type { LogRecord, LogState } from './Log.ts'
import type { MemorySpace } from './MemorySpace.ts'
import { isOurs } from './RecordLayout.ts'

/** The records of one partition, shared by all handles of a memory log. */
export class MemoryStore {
  readonly checkpoints = new Map<number, Uint8Array>()
  /** Told of each write. */
  readonly listeners = new Set<(lastSeq: number) => void>()
  /** Limit of the log in bytes; 0: none. */
  bytesMax: number
  readonly #now: () => number
  readonly #space: MemorySpace
  readonly #onStored: (record: LogRecord) => void
  #firstSeq = 1
  #records: (LogRecord | undefined)[] = []
  #bytes = 0
  #holes = 0
  constructor(
    now: () => number,
    bytesMax: number,
    space: MemorySpace,
    onStored: (record: LogRecord) => void,
  ) {
    this.#now = now
    this.bytesMax = bytesMax
    this.#space = space
    this.#onStored = onStored
  }
  get firstSeq(): number {
    return this.#firstSeq
  }
  get lastSeq(): number {
    return this.#firstSeq + this.#records.length - 1
  }
  get state(): LogState {
    return {
      firstSeq: this.#firstSeq,
      lastSeq: this.lastSeq,
      holes: this.#holes,
      bytes: this.#bytes,
      bytesMax: this.bytesMax,
    }
  }
  /** What its records and checkpoints take, in bytes. */
  get used(): number {
    let used = this.#bytes
    for (const { length } of this.checkpoints.values()) used += length
    return used
  }
  /** Sequences without a record. */
  holes(): number[] {
    const missing: number[] = []
    for (const [i, record] of this.#records.entries())
      if (record === undefined) missing.push(this.#firstSeq + i)
    return missing
  }
  record(seq: number): LogRecord | undefined {
    return this.#records[seq - this.#firstSeq]
  }
  /** Stores all or nothing after `expectedLastSeq`. Errors: `Fenced`, `StorageFull`. */
  write(records: readonly Uint8Array[], expectedLastSeq: number): { seq: number; timeMs: number } {
    if (expectedLastSeq !== this.lastSeq)
      throw new KirokuError('Fenced', `expected last sequence ${expectedLastSeq}, but it is ${this.lastSeq}`)
    const bytes = lengthOf(records)
    if (!this.#holds(bytes)) throw new KirokuError('StorageFull', `the log may hold ${this.bytesMax} bytes`)
    this.#space.mustHold(bytes)
    const timeMs = this.#now()
    for (const data of records) {
      const record = { seq: this.lastSeq + 1, timeMs, data, foreign: !isOurs(data) }
      this.#records.push(record)
      this.#onStored(record)
    }
    this.#bytes += bytes
    for (const listener of this.listeners) listener(this.lastSeq)
    return { seq: this.lastSeq, timeMs }
  }
  /** Whether a write of these records would find room. */
  hasRoomFor(records: readonly Uint8Array[]): boolean {
    const bytes = lengthOf(records)
    return this.#holds(bytes) && this.#space.holds(bytes)
  }
  #holds(bytes: number): boolean {
    return this.bytesMax === 0 || this.#bytes + bytes <= this.bytesMax
  }
  /** Errors: `StorageFull`, `Internal` when another one is there. */
  putCheckpoint(seq: number, bytes: Uint8Array): void {
    const stored = this.checkpoints.get(seq)
    if (stored === undefined) {
      this.#space.mustHold(bytes.length)
      this.checkpoints.set(seq, bytes)
    } else if (Buffer.compare(stored, bytes) !== 0)
      throw new KirokuError('Internal', `checkpoint ${seq} exists with other content`)
  }
  trim(upTo: number): void {
    const removed = this.#records.splice(0, Math.max(0, upTo - this.#firstSeq + 1))
    this.#firstSeq += removed.length
    this.#forget(removed)
  }
  /** Replaces a record by other bytes, or removes it. */
  replace(seq: number, data: Uint8Array | undefined): void {
    const record = this.record(seq)
    if (!record) throw new KirokuError('InvalidArgument', `there is no record ${seq}`)
    this.#bytes += (data?.length ?? 0) - record.data.length
    if (data === undefined) this.#holes++
    this.#records[seq - this.#firstSeq] = data && { ...record, data, foreign: !isOurs(data) }
  }
  /** Forgets the last `count` records; their sequences will be reused. */
  loseTail(count: number): void {
    this.#forget(this.#records.splice(Math.max(0, this.#records.length - count)))
  }
  #forget(removed: readonly (LogRecord | undefined)[]): void {
    for (const record of removed)
      if (record === undefined) this.#holes--
      else this.#bytes -= record.data.length
  }
}

const lengthOf = (records: readonly Uint8Array[]): number => records.reduce((sum, r) => sum + r.length, 0)
