import { KirokuError } from '@kiroku/protocol'
import type { CheckpointStore, LogRecord, LogState, PartitionLog } from './Log.ts'
import type { MemoryFaults, WriteFault } from './MemoryFaults.ts'
import type { MemoryStore } from './MemoryStore.ts'

/** Runs `fn` after `ms`; the only clock a memory log has. */
export type Schedule = (ms: number, fn: () => void) => void

/** What is published by mistake. */
const foreignRecord = new TextEncoder().encode('a foreign record')

/** A handle to a partition in memory; several may exist, as several nodes may believe they own it. */
export class MemoryPartition implements PartitionLog {
  readonly partition: number
  readonly checkpoints: CheckpointStore
  readonly #store: MemoryStore
  readonly #faults: MemoryFaults
  readonly #schedule: Schedule
  /** Writes on their way, oldest first: a connection keeps their order whatever the delay. */
  #sent: (() => void)[] = []
  /** The sequence that the first late write of this handle expected; all behind it are late too. */
  #lateFrom: number | undefined
  #closed = false
  constructor(partition: number, store: MemoryStore, faults: MemoryFaults, schedule: Schedule) {
    this.partition = partition
    this.#store = store
    this.#faults = faults
    this.#schedule = schedule
    this.checkpoints = {
      list: () => this.#ask(() => [...store.checkpoints.keys()].sort((a, b) => b - a)),
      get: (seq) => this.#ask(() => store.checkpoints.get(seq)),
      size: (seq) => this.#ask(() => store.checkpoints.get(seq)?.length),
      put: (seq, bytes) => this.#ask(() => store.putCheckpoint(seq, bytes)),
      delete: (seq) => this.#ask(() => void store.checkpoints.delete(seq)),
    }
  }
  get recordBytesMax(): number {
    return this.#faults.recordBytesMax
  }
  state(): Promise<LogState> {
    return this.#ask(() => this.#store.state)
  }
  fence(records: readonly Uint8Array[], expectedLastSeq: number): Promise<{ seq: number; timeMs: number }> {
    const fault = this.#faults.take('fence', this.partition)
    return this.#send(() => {
      this.#lateFrom = undefined
      return this.#arrive(records, expectedLastSeq, fault)
    })
  }
  append(record: Uint8Array, expectedLastSeq: number): Promise<number> {
    const fault = this.#faults.take('append', this.partition)
    return this.#send(() => {
      // A repeat of a late write takes another way, and so does everything once that has arrived.
      const hasArrived = this.#faults.underWay(this.partition) === 0
      if (this.#lateFrom !== undefined && (hasArrived || expectedLastSeq <= this.#lateFrom))
        this.#lateFrom = undefined
      return this.#arrive([record], expectedLastSeq, this.#lateFrom === undefined ? fault : 'late').seq
    })
  }
  async *read(fromSeq: number, toSeq?: number): AsyncIterable<LogRecord> {
    const last = await this.#ask(() => Math.min(toSeq ?? Infinity, this.#store.lastSeq))
    for (let seq = Math.max(fromSeq, this.#store.firstSeq); seq <= last; seq++) {
      const record = this.#store.record(seq)
      if (record) yield record
    }
  }
  get(seq: number): Promise<LogRecord | undefined> {
    return this.#ask(() => this.#store.record(seq))
  }
  holes(): Promise<number[]> {
    return this.#ask(() => this.#store.holes())
  }
  trim(upTo: number): Promise<void> {
    return this.#ask(() => this.#store.trim(upTo))
  }
  onStored(listener: (lastSeq: number) => void): () => void {
    const later = (lastSeq: number): void =>
      this.#schedule(this.#faults.delayMs, () => {
        if (!this.#closed && !this.#faults.isDown && this.#store.listeners.has(later)) listener(lastSeq)
      })
    this.#store.listeners.add(later)
    return () => this.#store.listeners.delete(later)
  }
  close(): Promise<void> {
    this.#closed = true
    return Promise.resolve()
  }

  #arrive(records: readonly Uint8Array[], expectedLastSeq: number, fault: WriteFault) {
    if (records.some((r) => r.length > this.recordBytesMax))
      throw new KirokuError('RecordTooLarge', `the log takes records of up to ${this.recordBytesMax} bytes`)
    switch (fault) {
      case 'none':
        return this.#store.write(records, expectedLastSeq)
      case 'full':
        throw new KirokuError('StorageFull', 'the storage is full')
      case 'displaced':
        this.#faults.write(this.partition, foreignRecord)
        return this.#store.write(records, expectedLastSeq)
      case 'answerLost':
        this.#store.write(records, expectedLastSeq)
        break
      case 'late':
        this.#lateFrom ??= expectedLastSeq
        this.#faults.wander(this.partition, { records, expectedLastSeq })
        break
      case 'requestLost':
    }
    throw new KirokuError('LogAmbiguous', 'the write had no answer')
  }
  #ask<A>(answer: () => A): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#schedule(this.#faults.delayMs, () => {
        try {
          this.#check()
          resolve(answer())
        } catch (e) {
          reject(e)
        }
      })
    })
  }
  #send<A>(write: () => A): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#sent.push(() => {
        try {
          this.#check()
          resolve(write())
        } catch (e) {
          reject(e)
        }
      })
      this.#schedule(this.#faults.delayMs, () => this.#sent.shift()!())
    })
  }
  #check(): void {
    if (this.#closed) throw new KirokuError('Stopped', `this handle to partition ${this.partition} is closed`)
    if (this.#faults.isDown) throw new KirokuError('NatsUnreachable', 'the log is down')
  }
}
