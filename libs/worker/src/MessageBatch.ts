import { KirokuError } from '@kiroku/message'
import type { Batch, ConsumedMessage, RetryOptions } from '@kiroku/client'
import { decodeBody } from './body.ts'

/** How a Worker asks for another attempt. */
export interface QueueRetryOptions {
  /** Pause in seconds, held to 86,400 where it is more; absent: the consumer's `retry_delay`; 0: none. */
  readonly delaySeconds?: number | undefined
  /** Why, for the record; at most 1,000 characters. Beyond what Cloudflare knows. */
  readonly reason?: string | undefined
}

/** A message as a Worker sees it. */
export class Message<Body = unknown> {
  readonly #message: ConsumedMessage
  #body: { readonly value: Body } | undefined

  constructor(message: ConsumedMessage) {
    this.#message = message
  }

  /** Stays the same along the message's lineage. */
  get id(): string {
    return this.#message.id
  }

  /** When it was sent. */
  get timestamp(): Date {
    return new Date(this.#message.enqueuedAt)
  }

  /** Decoded by its content type. Errors: `MalformedJson`. */
  get body(): Body {
    return (this.#body ??= { value: decodeBody(this.#message) as Body }).value
  }

  /** 1 for the first delivery. */
  get attempts(): number {
    return this.#message.attempt
  }

  /** Done, whatever becomes of the batch. */
  ack(): void {
    this.#message.ack()
  }

  /** Another attempt in a later batch. */
  retry(options?: QueueRetryOptions): void {
    this.#message.retry(retryOptions(options))
  }
}

/** The batch a Worker's handler gets. */
export class MessageBatch<Body = unknown> {
  /** Name of the queue. */
  readonly queue: string
  readonly messages: readonly Message<Body>[]
  readonly #batch: Batch

  constructor(batch: Batch) {
    this.queue = batch.queue
    this.messages = batch.messages.map((message) => new Message<Body>(message))
    this.#batch = batch
  }

  /** Acknowledges every message without a verdict of its own. */
  ackAll(): void {
    this.#batch.ackAll()
  }

  /** Retries every message without a verdict of its own. */
  retryAll(options?: QueueRetryOptions): void {
    this.#batch.retryAll(retryOptions(options))
  }
}

const retryOptions = (options: QueueRetryOptions = {}): RetryOptions => ({
  delayMs: options.delaySeconds === undefined ? undefined : pauseMsOf(options.delaySeconds),
  error: options.reason,
})

/** Longest delay that Cloudflare Queues knows, in seconds. */
export const delaySecondsMax = 86_400

/** Seconds as ms, also beyond the longest delay: the consumer holds it to that. Errors: `InvalidArgument` below 0. */
const pauseMsOf = (delaySeconds: number): number =>
  delaySeconds > delaySecondsMax ? delaySeconds * 1_000 : delayMsOf(delaySeconds)

/** Seconds as ms. Errors: `InvalidArgument` outside 0 to 86,400. */
export const delayMsOf = (delaySeconds: number): number => {
  if (!(delaySeconds >= 0 && delaySeconds <= delaySecondsMax))
    throw new KirokuError(
      'InvalidArgument',
      `delaySeconds is ${delaySeconds}; it may be 0 to ${delaySecondsMax}`,
    )
  return Math.round(delaySeconds * 1_000)
}
