import { rangeNumbers } from '@kiroku/protocol'
import type { Lease } from './Lease.ts'
import { MessageView } from './MessageView.ts'
import { reasonOf, releaseOf, type ReleaseOptions, retryOf, type RetryOptions } from './Settlement.ts'
import type { Verdicts } from './Verdicts.ts'

/** A message in a handler; the first verdict counts, later ones are ignored. */
export class ConsumedMessage<T = unknown> extends MessageView<T> {
  readonly #lease: Lease
  readonly #verdicts: Verdicts
  readonly #at: number

  /** @internal */
  constructor(lease: Lease, index: number, number: number, verdicts: Verdicts) {
    super(lease.context, index, number)
    this.#lease = lease
    this.#at = index
    this.#verdicts = verdicts
  }

  /**
   * Aborted when further work is useless: the lease was lost or given up, or the consumer stops and no longer
   * waits. Its reason says which.
   */
  get signal(): AbortSignal {
    return this.#lease.signalOf(this.#at)
  }

  /** @internal Whether its verdict so far is that it is delivered again. */
  get comesAgain(): boolean {
    return this.#verdicts.comesAgain(this.#at)
  }

  /** @internal Its handler is through: its verdict is told without waiting for the batch. */
  end(): void {
    this.#verdicts.end(this.#at)
  }

  /** Acknowledged at once, whatever becomes of the batch. */
  ack(): void {
    this.#verdicts.ack(this.#at)
  }

  /** Another attempt, counted from the end of the batch, or of a handler of single messages; called again, the newer delay counts. Errors: `InvalidArgument`. */
  retry(options: RetryOptions = {}): void {
    this.#verdicts.retry(this.#at, retryOf(options))
  }

  /**
   * Gives the message back after the batch, or after a handler of single messages, at once or after `delayMs`, without counting
   * the attempt; called again, the newer options count. Errors: `InvalidArgument`.
   */
  release(options: ReleaseOptions = {}): void {
    this.#verdicts.release(this.#at, releaseOf(options))
  }

  /** Moves the message to the dead-letter queue after the batch, or after a handler of single messages. */
  deadLetter(error?: string | Error): void {
    this.#verdicts.deadLetter(this.#at, reasonOf(error))
  }
}

/** A handler's batch; of a defined queue, the messages that fit its schema. */
export class Batch<T = unknown> {
  /** Name of the queue. */
  readonly queue: string
  readonly messages: readonly ConsumedMessage<T>[]
  readonly #lease: Lease
  readonly #verdicts: Verdicts

  /** @internal */
  constructor(lease: Lease, verdicts: Verdicts, messages: readonly ConsumedMessage<T>[]) {
    this.queue = lease.context.queue
    this.messages = messages
    this.#lease = lease
    this.#verdicts = verdicts
  }

  /** Aborted when the signals of all messages without a verdict are; see `ConsumedMessage.signal`. */
  get signal(): AbortSignal {
    return this.#lease.signal
  }

  /** Acknowledges every message without a verdict of its own, at once. */
  ackAll(): void {
    this.#verdicts.ackAll()
  }

  /** Retries every message without a verdict of its own, after the batch. */
  retryAll(options: RetryOptions = {}): void {
    this.#verdicts.retryAll(retryOf(options))
  }

  /**
   * Gives every message without a verdict of its own back after the batch, without counting the attempt.
   * Errors: `InvalidArgument`.
   */
  releaseAll(options: ReleaseOptions = {}): void {
    this.#verdicts.releaseAll(releaseOf(options))
  }
}

/** The messages of a lease, whose verdicts go to `verdicts`. */
export const consumedMessages = (lease: Lease, verdicts: Verdicts): ConsumedMessage[] =>
  rangeNumbers(lease.context.delivery.numbers).map(
    (number, index) => new ConsumedMessage(lease, index, number, verdicts),
  )
