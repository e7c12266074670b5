import { isOurs, type LogRecord } from '@kiroku/log'
import { onReconnect, toKirokuError } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import type { JetStreamManager } from '@nats-io/jetstream'
import { createInbox, type NatsConnection } from '@nats-io/nats-core'
import type { ByteBudget } from './ByteBudget.ts'
import { askLeader } from './askLeader.ts'
import { getDirect, storedMessage, type StoredMessage } from './getDirect.ts'
import { batchBytesMax, batchRecordsMax, readAttemptsMax, readTimeoutMs, recordBytesGuess } from './limits.ts'

/** The result of one direct batched get. */
interface Batch {
  readonly records: LogRecord[]
  /** False when the answer stopped midway: silence, or a lost connection. */
  readonly complete: boolean
}

/**
 * Reads one stream, over a connection for reading. Direct gets are fast but may be answered by a replica that
 * lags; what they do not return is requested from the leader before it counts as missing.
 */
export class StreamReader {
  readonly #nc: NatsConnection
  readonly #leader: JetStreamManager
  readonly #stream: string
  readonly #subject: string
  readonly #budget: ByteBudget
  constructor(
    nc: NatsConnection,
    leader: JetStreamManager,
    stream: string,
    subject: string,
    budget: ByteBudget,
  ) {
    this.#nc = nc
    this.#leader = leader
    this.#stream = stream
    this.#subject = subject
    this.#budget = budget
  }

  /** Records of the range that are stored, in order. The next batch is requested while one is consumed. */
  async *range(fromSeq: number, toSeq: number): AsyncGenerator<LogRecord, void, undefined> {
    if (fromSeq > toSeq) return
    let next = this.#fetch(fromSeq, toSeq)
    for (;;) {
      const records = await next
      const last = records.at(-1)
      if (!last) return
      const more = last.seq < toSeq
      if (more) {
        next = this.#fetch(last.seq + 1, toSeq)
        // The consumer may leave before it looks at this one.
        next.catch(() => {})
      }
      yield* records
      if (!more) return
    }
  }

  /** One record, or undefined when the leader does not have it. */
  async one(seq: number, bytes = recordBytesGuess): Promise<LogRecord | undefined> {
    await this.#budget.take(bytes)
    try {
      const stored = await getDirect(this.#nc, this.#stream, { seq })
      if (stored !== undefined) return record(stored)
    } finally {
      this.#budget.give(bytes)
    }
    const found = await this.#fromLeader(seq)
    return found?.seq === seq ? found : undefined
  }

  /** At least one record from `fromSeq` on, without holes that the leader does not confirm; none at the end. */
  async #fetch(fromSeq: number, toSeq: number): Promise<LogRecord[]> {
    for (let attempt = 1; ; attempt++) {
      const { records, complete } = await this.#directBatch(fromSeq, toSeq)
      let expected = fromSeq
      for (let i = 0; i < records.length; i++) {
        // What follows a gap is left for the next batch.
        if (records[i]!.seq !== expected) records.length = i
        else expected++
      }
      if (records.length > 0) return records
      if (complete) {
        const found = await this.#fromLeader(fromSeq)
        return found && found.seq <= toSeq ? [found] : []
      }
      if (attempt === readAttemptsMax)
        throw new KirokuError(
          'NatsUnreachable',
          `no records from stream ${this.#stream}, tried ${attempt} times`,
        )
    }
  }

  async #directBatch(fromSeq: number, toSeq: number): Promise<Batch> {
    await this.#budget.take(batchBytesMax)
    const records: LogRecord[] = []
    const inbox = createInbox()
    let progress = -1
    let timer: NodeJS.Timeout | undefined
    const { promise, resolve } = Promise.withResolvers<boolean>()
    // What was asked before had no answer, or was never sent.
    const stop = onReconnect(this.#nc, () => resolve(false))
    const subscription = this.#nc.subscribe(inbox, {
      callback: (error, msg) => {
        if (error) resolve(false)
        else if (!msg.headers?.code) records.push(record(storedMessage(msg)))
        else resolve(msg.headers.code === 204 || msg.headers.code === 404)
      },
    })
    try {
      const request = {
        seq: fromSeq,
        batch: Math.min(batchRecordsMax, toSeq - fromSeq + 1),
        max_bytes: batchBytesMax,
      }
      this.#nc.publish(`$JS.API.DIRECT.GET.${this.#stream}`, JSON.stringify(request), { reply: inbox })
      timer = setInterval(() => {
        if (records.length === progress) resolve(false)
        progress = records.length
      }, readTimeoutMs)
      return { complete: await promise, records }
    } catch (cause) {
      throw toKirokuError(cause, `cannot read stream ${this.#stream}`)
    } finally {
      stop()
      clearInterval(timer)
      subscription.unsubscribe()
      this.#budget.give(batchBytesMax)
    }
  }

  /** The first record at or after `seq`, according to the leader. */
  async #fromLeader(seq: number): Promise<LogRecord | undefined> {
    const query = { seq, next_by_subj: this.#subject }
    const stored = await askLeader(this.#nc, `cannot read stream ${this.#stream}`, () =>
      this.#leader.streams.getMessage(this.#stream, query),
    )
    return stored ? record(stored) : undefined
  }
}

const record = ({ seq, timestamp, data }: StoredMessage): LogRecord => ({
  seq,
  timeMs: Date.parse(timestamp),
  data,
  foreign: !isOurs(data),
})
