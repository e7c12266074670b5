import type { MessageView } from './ReceivedMessage.ts'

/** A message in a handler; the first verdict counts, later ones are ignored. */
export interface ConsumedMessage extends MessageView {
  /** Acknowledged at once, whatever becomes of the batch. */
  ack(): void
  /** Another attempt after the batch; called again, the newer delay counts. */
  retry(options?: { readonly delayMs?: number | undefined; readonly error?: string | undefined }): void
  /** Gives the message back after the batch, and the attempt too. */
  release(): void
  /** Moves the message to the dead-letter queue after the batch. */
  deadLetter(error?: string): void
}

/** What a handler gets. */
export interface Batch {
  readonly queue: string
  readonly messages: readonly ConsumedMessage[]
  /** Acknowledges every message without a verdict of its own. */
  ackAll(): void
  /** Retries every message without a verdict of its own, after the batch. */
  retryAll(options?: { readonly delayMs?: number | undefined; readonly error?: string | undefined }): void
}
