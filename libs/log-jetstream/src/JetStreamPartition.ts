import type { CheckpointStore, LogRecord, LogState, PartitionLog } from '@kiroku/log'
import type { Publisher } from '@kiroku/nats'
import { isKirokuError, KirokuError } from '@kiroku/protocol'
import type { JetStreamManager } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/nats-core'
import type { StoredNews } from './StoredNews.ts'
import type { StreamReader } from './StreamReader.ts'
import { askLeader } from './askLeader.ts'
import { streamError } from './partitionStream.ts'

/** The parts of a partition. */
interface Parts {
  readonly partition: number
  readonly stream: string
  readonly subject: string
  readonly recordBytesMax: () => number
  readonly nc: NatsConnection
  readonly jsm: JetStreamManager
  readonly appends: Publisher
  readonly fences: Publisher
  readonly reader: StreamReader
  readonly checkpoints: CheckpointStore
  readonly news: StoredNews
  /** Called when the store refused something for lack of room; resolves when there may be some. */
  readonly refused: () => Promise<void>
}

/** The log of one partition in its stream. */
export class JetStreamPartition implements PartitionLog {
  readonly partition: number
  readonly checkpoints: CheckpointStore
  readonly #parts: Parts
  constructor(parts: Parts) {
    this.partition = parts.partition
    this.checkpoints = parts.checkpoints
    this.#parts = parts
  }
  get recordBytesMax(): number {
    return this.#parts.recordBytesMax()
  }
  async state(): Promise<LogState> {
    const { nc, jsm, stream } = this.#parts
    const what = `cannot ask for the state of stream ${stream}`
    const { config, state } = await askLeader(nc, what, () => jsm.streams.info(stream)).catch(
      (cause: unknown) => {
        throw streamError(cause, stream, what)
      },
    )
    return {
      firstSeq: state.messages === 0 ? state.last_seq + 1 : state.first_seq,
      lastSeq: state.last_seq,
      holes: state.num_deleted ?? 0,
      bytes: state.bytes,
      bytesMax: Math.max(0, config.max_bytes),
    }
  }
  async fence(
    records: readonly Uint8Array[],
    expectedLastSeq: number,
  ): Promise<{ seq: number; timeMs: number }> {
    const { nc, jsm, stream, subject, fences } = this.#parts
    for (const record of records) this.#checkSize(record)
    const seq = await this.#stored(fences.publishBatch(subject, records, expecting(expectedLastSeq)))
    const what = `the fence of ${stream} is stored, but its time is unknown`
    const stored = await askLeader(nc, what, () => jsm.streams.getMessage(stream, { seq })).catch((cause) => {
      throw new KirokuError('LogAmbiguous', what, { cause })
    })
    if (stored) return { seq, timeMs: Date.parse(stored.timestamp) }
    throw new KirokuError('LogDamaged', `stream ${stream} lost the fence at ${seq} that it confirmed`)
  }
  async append(record: Uint8Array, expectedLastSeq: number): Promise<number> {
    this.#checkSize(record)
    const { appends, subject } = this.#parts
    return this.#stored(appends.publish(subject, record, expecting(expectedLastSeq)))
  }
  async #stored(storing: Promise<{ readonly seq: number }>): Promise<number> {
    try {
      const { seq } = await storing
      this.#parts.news.stored(this.partition, seq)
      return seq
    } catch (cause) {
      if (isKirokuError(cause) && cause.id === 'StorageFull') await this.#parts.refused()
      throw cause
    }
  }
  async *read(fromSeq: number, toSeq?: number): AsyncGenerator<LogRecord, void, undefined> {
    yield* this.#parts.reader.range(Math.max(fromSeq, 1), toSeq ?? (await this.state()).lastSeq)
  }
  get(seq: number, bytes?: number): Promise<LogRecord | undefined> {
    return this.#parts.reader.one(seq, bytes)
  }
  async holes(): Promise<number[]> {
    const { nc, jsm, stream } = this.#parts
    const { state } = await askLeader(nc, `cannot ask for the holes of stream ${stream}`, () =>
      jsm.streams.info(stream, { deleted_details: true }),
    )
    return (state.deleted ?? []).toSorted((a, b) => a - b)
  }
  async trim(upTo: number): Promise<void> {
    const { nc, jsm, stream } = this.#parts
    const { firstSeq, lastSeq } = await this.state()
    // A purge beyond the end would move the sequence, one with 0 would remove everything.
    const seq = Math.min(upTo, lastSeq) + 1
    if (seq <= firstSeq) return
    await askLeader(nc, `cannot trim stream ${stream}`, () => jsm.streams.purge(stream, { seq }))
  }
  onStored(listener: (lastSeq: number) => void): () => void {
    return this.#parts.news.listen(this.partition, listener)
  }
  close(): Promise<void> {
    return Promise.resolve()
  }
  #checkSize(record: Uint8Array): void {
    if (record.length > this.recordBytesMax)
      throw new KirokuError(
        'RecordTooLarge',
        `a record of ${record.length} bytes is larger than ${this.recordBytesMax}`,
      )
  }
}

const expecting = (lastSeq: number) => {
  const own = headers()
  own.set('Nats-Expected-Last-Sequence', String(lastSeq))
  return own
}
