import { decodeRecord, isSealed, type BodyRef, type Log } from '@kiroku/log'
import { openLog } from '@kiroku/log-jetstream'
import { connect } from '@kiroku/nats'
import { decodeEnvelope } from '@kiroku/protocol'
import type { StoredFrame } from './History.ts'
import { unreadable } from './Ledger.ts'
import type { Work } from './Work.ts'

const decoder = new TextDecoder()

/** Reads the log on its own connection, each record once. */
export class LogReader {
  readonly #nats: Awaited<ReturnType<typeof connect>>
  readonly #log: Log
  readonly #next: number[]
  /** Labels of bodies that have a record of their own, which comes before the frame that names them. */
  readonly #large = new Map<string, number>()

  private constructor(nats: Awaited<ReturnType<typeof connect>>, log: Log) {
    this.#nats = nats
    this.#log = log
    this.#next = Array.from({ length: log.meta.partitions }, () => 1)
  }

  static async open(urls: readonly string[]): Promise<LogReader> {
    const nats = await connect({ servers: urls, name: 'chaos-reader' })
    return new LogReader(nats, await openLog(nats, { name: 'main' }))
  }

  /** The frames since the last call, partition by partition. */
  async *frames(): AsyncIterable<StoredFrame> {
    for (let partition = 0; partition < this.#next.length; partition++) {
      const log = await this.#log.partition(partition)
      const { lastSeq } = await log.state()
      if (lastSeq < this.#next[partition]!) continue
      for await (const { seq, timeMs, data, foreign } of log.read(this.#next[partition]!, lastSeq)) {
        if (foreign) continue
        const record = decodeRecord(data)
        if (record.kind === 'body') {
          this.#large.set(`${partition} ${seq}`, labelOf(record.body))
          continue
        }
        const label = (body: BodyRef): number =>
          body instanceof Uint8Array
            ? labelOf(body)
            : (this.#large.get(`${partition} ${body.seq}`) ?? unreadable)
        const labels = new Map(record.sections.map(({ queue, bodies }) => [queue, bodies.map(label)]))
        yield { partition, seq, timeMs, epoch: record.epoch, events: record.events, labels }
      }
      this.#next[partition] = lastSeq + 1
    }
  }

  async close(): Promise<void> {
    await this.#log.close()
    await this.#nats.close()
  }
}

const labelOf = (message: Uint8Array): number =>
  isSealed(message) ? unreadable : (JSON.parse(decoder.decode(decodeEnvelope(message).body)) as Work).label
