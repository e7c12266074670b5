import type {
  CheckpointStore,
  KeyStore,
  Log,
  LogMeta,
  LogRecord,
  LogState,
  PartitionLog,
  StoreRoom,
} from '@kiroku/log'

/**
 * A log that one process uses. Once that is dead, no call of it returns; what was sent off may land. While it is frozen
 * no answer arrives.
 */
export class CrashingLog implements Log {
  readonly #log: Log
  #isDead = false
  #thawed: Promise<void> | undefined
  #thaw = (): void => {}

  constructor(log: Log) {
    this.#log = log
  }

  get meta(): LogMeta {
    return this.#log.meta
  }
  get keys(): KeyStore {
    const { keys } = this.#log
    return {
      keptMs: keys.keptMs,
      get: (name) => this.live(() => keys.get(name)),
      put: (name, value, revision) => this.live(() => keys.put(name, value, revision)),
      scrub: (name) => this.live(() => keys.scrub(name)),
    }
  }
  get isDead(): boolean {
    return this.#isDead
  }

  kill(): void {
    this.#isDead = true
  }
  freeze(): void {
    this.#thawed = new Promise((resolve) => (this.#thaw = resolve))
  }
  thaw(): void {
    this.#thaw()
    this.#thawed = undefined
  }

  async partition(n: number): Promise<PartitionLog> {
    return new CrashingPartition(await this.#log.partition(n), this)
  }
  restore(n: number): Promise<void> {
    return this.#log.restore(n)
  }
  room(): Promise<StoreRoom | undefined> {
    return this.live(() => this.#log.room())
  }
  close(): Promise<void> {
    return this.#log.close()
  }

  /** The outcome of a call, unless death comes first. */
  live<T>(call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isDead) return
      call().then(
        (value) => this.#arrive(() => resolve(value)),
        (error: Error) => this.#arrive(() => reject(error)),
      )
    })
  }

  #arrive(settle: () => void): void {
    if (this.#isDead) return
    if (this.#thawed === undefined) settle()
    else void this.#thawed.then(() => this.#arrive(settle))
  }
}

class CrashingPartition implements PartitionLog {
  readonly partition: number
  readonly checkpoints: CheckpointStore
  readonly #log: PartitionLog
  readonly #life: CrashingLog

  constructor(log: PartitionLog, life: CrashingLog) {
    this.#log = log
    this.#life = life
    this.partition = log.partition
    const { checkpoints } = log
    this.checkpoints = {
      list: () => life.live(() => checkpoints.list()),
      get: (seq) => life.live(() => checkpoints.get(seq)),
      size: (seq) => life.live(() => checkpoints.size(seq)),
      put: (seq, bytes) => life.live(() => checkpoints.put(seq, bytes)),
      delete: (seq) => life.live(() => checkpoints.delete(seq)),
    }
  }
  get recordBytesMax(): number {
    return this.#log.recordBytesMax
  }
  state(): Promise<LogState> {
    return this.#life.live(() => this.#log.state())
  }
  fence(records: readonly Uint8Array[], expectedLastSeq: number): Promise<{ seq: number; timeMs: number }> {
    return this.#life.live(() => this.#log.fence(records, expectedLastSeq))
  }
  append(record: Uint8Array, expectedLastSeq: number): Promise<number> {
    return this.#life.live(() => this.#log.append(record, expectedLastSeq))
  }
  async *read(fromSeq: number, toSeq?: number): AsyncIterable<LogRecord> {
    const records: AsyncIterator<LogRecord> = this.#log.read(fromSeq, toSeq)[Symbol.asyncIterator]()
    for (;;) {
      const next = await this.#life.live(() => records.next())
      if (next.done === true) return
      yield next.value
    }
  }
  get(seq: number): Promise<LogRecord | undefined> {
    return this.#life.live(() => this.#log.get(seq))
  }
  holes(): Promise<number[]> {
    return this.#life.live(() => this.#log.holes())
  }
  trim(upTo: number): Promise<void> {
    return this.#life.live(() => this.#log.trim(upTo))
  }
  onStored(listener: (lastSeq: number) => void): () => void {
    return this.#log.onStored((lastSeq) => {
      if (!this.#life.isDead) listener(lastSeq)
    })
  }
  close(): Promise<void> {
    return this.#life.live(() => this.#log.close())
  }
}
