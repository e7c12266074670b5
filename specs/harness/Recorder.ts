import type { Batch, ConsumedMessage } from '@kiroku/client'
import type { Message, MessageBatch } from '@kiroku/worker'

/** One batch as a handler got it. */
export interface RecordedBatch {
  /** Seconds since the world began. */
  readonly at: number
  readonly bodies: readonly unknown[]
  readonly attempts: readonly number[]
}

/** Writes down every batch that a handler gets, and when. */
export class Recorder {
  readonly batches: RecordedBatch[] = []
  readonly #seconds: () => number

  constructor(seconds: () => number) {
    this.#seconds = seconds
  }

  note(batch: Batch | MessageBatch): void {
    const messages: readonly (ConsumedMessage | Message)[] = batch.messages
    this.batches.push({
      at: this.#seconds(),
      bodies: messages.map((message) => ('text' in message ? readBody(message) : message.body)),
      attempts: messages.map((message) => ('attempt' in message ? message.attempt : message.attempts)),
    })
  }

  /** Sizes of the batches, in their order. */
  get sizes(): number[] {
    return this.batches.map((batch) => batch.bodies.length)
  }

  /** Every delivery of the message with this body: when, and which attempt it was. */
  of(body: unknown): { at: number; attempt: number }[] {
    return this.batches.flatMap(({ at, bodies, attempts }) =>
      bodies.flatMap((each, i) => (each === body ? [{ at, attempt: attempts[i]! }] : [])),
    )
  }

  /** When the message with this body was delivered, in seconds. */
  times(body: unknown): number[] {
    return this.of(body).map(({ at }) => at)
  }
}

const readBody = (message: ConsumedMessage): unknown =>
  message.contentType === 'application/json' ? message.json() : message.text()
