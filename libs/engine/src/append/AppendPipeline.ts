import {
  encodeBodyRecord,
  encodeRecord,
  type EncodedRecord,
  type FrameContent,
  type PartitionLog,
} from '@kiroku/log'
import { type TurnAnswer } from '@kiroku/partition'
import { eventBytes, KirokuError, type LogEvent } from '@kiroku/protocol'
import type { Metrics } from '../Metrics.ts'
import type { Time } from '../Time.ts'
import { asKirokuError } from '../asKirokuError.ts'

/** One append in flight, with the answers that rest on it. */
export interface Append {
  readonly seq: number
  readonly hash: Uint8Array
  /** What is appended. */
  readonly record: Uint8Array
  /** Monotonic ms at which it was sent off. */
  readonly begunMs: number
  readonly answers: TurnAnswer[]
  /** Answers without a fact of their own that were decided while it was in flight. */
  readonly held: TurnAnswer[]
  state: 'inFlight' | 'stored' | 'failed'
  error: KirokuError | undefined
}

/** What the owner is told of its appends: in order, and of a failure once, when nothing is in flight any more. */
export interface AppendEvents {
  landed(append: Append): void
  /** The first that failed and all behind it. Whether they are stored is not known unless an error says so. */
  failed(appends: readonly Append[]): void
}

/** The appends of one ownership: chained, numbered, several in flight, reported in order. One per ownership. */
export class AppendPipeline {
  readonly #log: PartitionLog
  readonly #epoch: number
  readonly #events: AppendEvents
  readonly #metrics: Metrics
  readonly #time: Time
  #inFlight: Append[] = []
  #lastSeq: number
  #hash: Uint8Array
  #failed = false

  constructor(
    log: PartitionLog,
    start: { readonly epoch: number; readonly seq: number; readonly hash: Uint8Array },
    events: AppendEvents,
    metrics: Metrics,
    time: Time,
  ) {
    this.#log = log
    this.#epoch = start.epoch
    this.#lastSeq = start.seq
    this.#hash = start.hash
    this.#events = events
    this.#metrics = metrics
    this.#time = time
  }

  get count(): number {
    return this.#inFlight.length
  }
  /** Sequence that the next record will have. */
  get nextSeq(): number {
    return this.#lastSeq + 1
  }
  /** Hash of the last record that was sent off. */
  get hash(): Uint8Array {
    return this.#hash
  }
  /** The one in flight that was sent off first. */
  get first(): Append | undefined {
    return this.#inFlight[0]
  }
  get last(): Append | undefined {
    return this.#inFlight[this.#inFlight.length - 1]
  }

  /** Sends a frame off. */
  frame(content: Omit<FrameContent, 'epoch'>, answers: TurnAnswer[]): Append {
    const record = encodeRecord({ epoch: this.#epoch, ...content }, this.#hash)
    this.#metrics.frame(content.events, record.bytes.length)
    const { length } = record.bytes
    const { recordBytesMax } = this.#log
    if (length <= recordBytesMax) return this.#send(record, answers)
    const what = `a turn made a record of ${length} bytes, and the log takes ${recordBytesMax}`
    return this.#send(
      record,
      answers,
      new KirokuError('RecordTooLarge', `${what}: ${largest(content.events)}`),
    )
  }

  /** Sends a large body off; the frame that names it follows. */
  body(body: Uint8Array): Append {
    return this.#send(encodeBodyRecord({ epoch: this.#epoch, body }, this.#hash), [])
  }

  /** Appends that failed are stored after all: goes on behind them. */
  confirmed(appends: readonly Append[]): void {
    this.#failed = false
    for (const append of appends) {
      append.state = 'stored'
      this.#events.landed(append)
    }
  }

  /** @param tooLarge why it cannot be sent off */
  #send(record: EncodedRecord, answers: TurnAnswer[], tooLarge?: KirokuError): Append {
    const begunMs = this.#time.monotonicMs()
    const expected = this.#lastSeq++
    const appended =
      tooLarge === undefined ? this.#log.append(record.bytes, expected) : Promise.reject<number>(tooLarge)
    // The record has left, and its hash is made meanwhile.
    this.#hash = record.hash
    const append: Append = {
      seq: this.#lastSeq,
      hash: record.hash,
      record: record.bytes,
      begunMs,
      answers,
      held: [],
      state: 'inFlight',
      error: undefined,
    }
    this.#inFlight.push(append)
    appended.then(
      (seq) => {
        this.#metrics.appended((this.#time.monotonicMs() - append.begunMs) / 1_000)
        if (seq !== append.seq)
          this.#fail(
            append,
            new KirokuError('Internal', `an append landed at ${seq} instead of ${append.seq}`),
          )
        else {
          append.state = 'stored'
          this.#settle()
        }
      },
      (e: unknown) => this.#fail(append, asKirokuError(e)),
    )
    return append
  }

  #fail(append: Append, error: KirokuError): void {
    append.state = 'failed'
    append.error = error
    this.#failed = true
    this.#settle()
  }

  #settle(): void {
    const appends = this.#inFlight
    let landed = 0
    while (landed < appends.length && appends[landed]!.state === 'stored') landed++
    const done = appends.splice(0, landed)
    for (const append of done) this.#events.landed(append)
    if (!this.#failed || this.#inFlight.some((f) => f.state === 'inFlight')) return
    const failed = this.#inFlight
    this.#inFlight = []
    if (failed.length > 0) this.#events.failed(failed)
  }
}

/** The facts that a frame is made of, largest first, to tell why it is too large. */
const largest = (events: readonly LogEvent[]): string => {
  const bytes = new Map<string, { count: number; bytes: number }>()
  for (const e of events) {
    const of = bytes.get(e.type) ?? { count: 0, bytes: 0 }
    bytes.set(e.type, { count: of.count + 1, bytes: of.bytes + eventBytes(e) })
  }
  const parts = [...bytes].sort(([, a], [, b]) => b.bytes - a.bytes).slice(0, 4)
  return parts.map(([type, of]) => `${of.count} ${type} of about ${of.bytes} bytes`).join(', ')
}
