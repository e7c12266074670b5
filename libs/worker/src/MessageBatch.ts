import type { Batch, ConsumedMessage, ReleaseOptions, RetryOptions } from '@kiroku/client'
import { KirokuError } from '@kiroku/protocol'
import { decodeBody } from './body.ts'

/** How a Worker asks for another attempt. */
export interface QueueRetryOptions {
  /** Pause in seconds, capped at 86,400; absent: the consumer's `retry_delay`; 0: none. */
  readonly delaySeconds?: number | undefined
  /** Why, for the record; at most 1,000 characters. A Kiroku extension. */
  readonly reason?: string | undefined
  /**
   * false: the attempt is given back, so that it uses up no retry, as when a service answers HTTP 429. Needs
   * `delaySeconds`. A Kiroku extension, like `holdSubscription`.
   */
  readonly countAttempt?: boolean | undefined
  /**
   * Hold the deliveries of the whole queue, or of the consumed subscription, for as long. Needs
   * `countAttempt: false`.
   */
  readonly holdSubscription?: boolean | undefined
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

  /** Acknowledges the message, whatever becomes of the batch. */
  ack(): void {
    this.#message.ack()
  }

  /** Another attempt in a later batch. Errors: `InvalidArgument`. */
  retry(options?: QueueRetryOptions): void {
    if (isCounted(options)) this.#message.retry(retryOptions(options))
    else this.#message.release(releaseOptions(options))
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

  /** Retries every message without a verdict of its own. Errors: `InvalidArgument`. */
  retryAll(options?: QueueRetryOptions): void {
    if (isCounted(options)) this.#batch.retryAll(retryOptions(options))
    else this.#batch.releaseAll(releaseOptions(options))
  }
}

/** Whether a retry costs an attempt. Errors: `InvalidArgument` for options that contradict each other. */
const isCounted = ({
  countAttempt = true,
  holdSubscription = false,
  delaySeconds,
}: QueueRetryOptions = {}) => {
  if (holdSubscription && countAttempt)
    throw new KirokuError('InvalidArgument', 'holdSubscription needs countAttempt: false')
  if (!countAttempt && !((delaySeconds ?? 0) > 0))
    throw new KirokuError('InvalidArgument', 'countAttempt: false needs delaySeconds above 0')
  return countAttempt
}

const releaseOptions = (options: QueueRetryOptions = {}): ReleaseOptions => ({
  ...retryOptions(options),
  holdSubscription: options.holdSubscription,
})

const retryOptions = (options: QueueRetryOptions = {}): RetryOptions => ({
  delayMs: options.delaySeconds === undefined ? undefined : pauseMsOf(options.delaySeconds),
  error: options.reason,
})

/** Longest delay of Cloudflare Queues, in seconds. */
export const delaySecondsMax = 86_400

/**
 * Seconds as ms, also beyond the longest delay, at which the consumer caps it. Errors: `InvalidArgument`
 * below 0.
 */
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
