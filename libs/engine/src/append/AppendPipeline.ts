import { encodeBodyRecord, encodeRecord, type FrameContent, type PartitionLog } from '@kiroku/log'
import { type TurnAnswer } from '@kiroku/partition'
import { eventBytes, isKirokuError, KirokuError, type LogEvent } from '@kiroku/protocol'
import type { Metrics } from '../Metrics.ts'
import type { Time } from '../Time.ts'

/** One append under way, with the answers that rest on it. */
export interface Append {
  readonly seq: number
  readonly hash: Uint8Array
  /** What is appended. */
  readonly record: Uint8Array
  /** Monotonic ms at which it was sent off. */
  readonly begunMs: number
  readonly answers: TurnAnswer[]
  /** Answers without a fact of their own that were decided while it was under way. */
  readonly held: TurnAnswer[]
  state: 'flying' | 'stored' | 'failed'
  error: KirokuError | undefined
}

/** What the owner is told of its appends: in order, and of a failure once, when nothing flies any more. */
export interface AppendEvents {
  landed(flight: Append): void
  /** The first that failed and all behind it. Whether they are stored is not known unless an error says so. */
  failed(flights: readonly Append[]): void
}

/** The appends of one ownership: chained, numbered, several at once, told in order. */
export class AppendPipeline {
  readonly #log: PartitionLog
  readonly #epoch: number
  readonly #events: AppendEvents
  readonly #metrics: Metrics
  readonly #time: Time
  #flights: Append[] = []
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
    return this.#flights.length
  }
  /** Sequence that the next record will have. */
  get nextSeq(): number {
    return this.#lastSeq + 1
  }
  /** Hash of the last record that was sent off. */
  get hash(): Uint8Array {
    return this.#hash
  }
  get last(): Append | undefined {
    return this.#flights[this.#flights.length - 1]
  }

  /** Sends a frame off. */
  frame(content: Omit<FrameContent, 'epoch'>, answers: TurnAnswer[]): Append {
    const record = encodeRecord({ epoch: this.#epoch, ...content }, this.#hash)
    this.#metrics.frame(content.events, record.bytes.length)
    const { length } = record.bytes
    const { recordBytesMax } = this.#log
    if (length <= recordBytesMax) return this.#fly(record, answers)
    const what = `a turn made a record of ${length} bytes, and the log takes ${recordBytesMax}`
    return this.#fly(
      record,
      answers,
      new KirokuError('RecordTooLarge', `${what}: ${largest(content.events)}`),
    )
  }

  /** Sends a large body off; the frame that names it follows. */
  body(body: Uint8Array): Append {
    return this.#fly(encodeBodyRecord({ epoch: this.#epoch, body }, this.#hash), [])
  }

  /** @param tooLarge why it cannot be sent off */
  #fly(
    record: { bytes: Uint8Array; hash: Uint8Array },
    answers: TurnAnswer[],
    tooLarge?: KirokuError,
  ): Append {
    const expected = this.#lastSeq++
    this.#hash = record.hash
    const flight: Append = {
      seq: this.#lastSeq,
      hash: record.hash,
      record: record.bytes,
      begunMs: this.#time.monotonicMs(),
      answers,
      held: [],
      state: 'flying',
      error: undefined,
    }
    this.#flights.push(flight)
    const appended =
      tooLarge === undefined ? this.#log.append(record.bytes, expected) : Promise.reject<number>(tooLarge)
    appended.then(
      (seq) => {
        this.#metrics.appended((this.#time.monotonicMs() - flight.begunMs) / 1_000)
        if (seq !== flight.seq)
          this.#fail(
            flight,
            new KirokuError('Internal', `an append landed at ${seq} instead of ${flight.seq}`),
          )
        else {
          flight.state = 'stored'
          this.#settle()
        }
      },
      (e: unknown) =>
        this.#fail(flight, isKirokuError(e) ? e : new KirokuError('Internal', String(e), { cause: e })),
    )
    return flight
  }

  #fail(flight: Append, error: KirokuError): void {
    flight.state = 'failed'
    flight.error = error
    this.#failed = true
    this.#settle()
  }

  #settle(): void {
    const flights = this.#flights
    let landed = 0
    while (landed < flights.length && flights[landed]!.state === 'stored') landed++
    const done = flights.splice(0, landed)
    for (const flight of done) this.#events.landed(flight)
    if (!this.#failed || this.#flights.some((f) => f.state === 'flying')) return
    const failed = this.#flights
    this.#flights = []
    if (failed.length > 0) this.#events.failed(failed)
  }
}

/** What facts a frame is made of, the largest first, to find out why it is too large. */
const largest = (events: readonly LogEvent[]): string => {
  const bytes = new Map<string, { count: number; bytes: number }>()
  for (const e of events) {
    const of = bytes.get(e.type) ?? { count: 0, bytes: 0 }
    bytes.set(e.type, { count: of.count + 1, bytes: of.bytes + eventBytes(e) })
  }
  const parts = [...bytes].sort(([, a], [, b]) => b.bytes - a.bytes).slice(0, 4)
  return parts.map(([type, of]) => `${of.count} ${type} of about ${of.bytes} bytes`).join(', ')
}
