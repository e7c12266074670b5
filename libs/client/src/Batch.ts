import { rangeNumbers } from './ranges.ts'
import { MessageView, type DeliveryContext } from './MessageView.ts'
import { clip, type RetryOptions } from './ReceivedMessage.ts'
import type { Verdicts } from './Verdicts.ts'

/** A message in a handler; the first verdict counts, later ones are ignored. */
export class ConsumedMessage extends MessageView {
  readonly #verdicts: Verdicts
  readonly #at: number

  constructor(context: DeliveryContext, index: number, number: number, verdicts: Verdicts) {
    super(context, index, number)
    this.#at = index
    this.#verdicts = verdicts
  }

  /** Acknowledged at once, whatever becomes of the batch. */
  ack(): void {
    this.#verdicts.ack(this.#at)
  }

  /** Another attempt, counted from the end of the batch; called again, the newer delay counts. */
  retry(options: RetryOptions = {}): void {
    this.#verdicts.retry(this.#at, { delayMs: options.delayMs, error: clip(options.error) })
  }

  /** Gives the message back after the batch, and the attempt too. */
  release(): void {
    this.#verdicts.release(this.#at)
  }

  /** Moves the message to the dead-letter queue after the batch. */
  deadLetter(error?: string): void {
    this.#verdicts.deadLetter(this.#at, clip(error))
  }
}

/** What a handler gets. */
export class Batch {
  /** Name of the queue. */
  readonly queue: string
  readonly messages: readonly ConsumedMessage[]
  readonly #verdicts: Verdicts

  constructor(context: DeliveryContext, verdicts: Verdicts) {
    this.queue = context.queue
    this.#verdicts = verdicts
    this.messages = rangeNumbers(context.delivery.numbers).map(
      (number, index) => new ConsumedMessage(context, index, number, verdicts),
    )
  }

  /** Acknowledges every message without a verdict of its own, at once. */
  ackAll(): void {
    this.#verdicts.ackAll()
  }

  /** Retries every message without a verdict of its own, after the batch. */
  retryAll(options: RetryOptions = {}): void {
    this.#verdicts.retryAll({ delayMs: options.delayMs, error: clip(options.error) })
  }
}
