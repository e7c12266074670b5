import type { Lineage } from '@kiroku/partition'

/** A message as it was delivered; bodies and receipts are decoded when they are asked for. */
export interface MessageView {
  /** Stays the same along the lineage, also in a dead-letter queue. */
  readonly id: string
  readonly queue: string
  /** The body as bytes; a view, valid as long as the message. */
  readonly body: Uint8Array
  text(): string
  /** The body parsed as JSON. Errors: `MalformedJson`. */
  json<T = unknown>(): T
  /** 1 for the first delivery. */
  readonly attempt: number
  /** Names this delivery of this message to `ack` and the others. */
  readonly receipt: string
  /** When the message was stored, in ms since 1970. */
  readonly enqueuedAt: number
  /** End of the lease as delivered, in ms since 1970. */
  readonly leaseUntil: number
  readonly attributes: Readonly<Record<string, string>>
  readonly contentType: string | undefined
  readonly traceparent: string | undefined
  /** Of forwarded messages: where they came from. */
  readonly lineage: Lineage | undefined
}

/** A received message with its verdicts. Each resolves when it is stored; errors: `UnknownReceipt`, `ReceiptExpired`. */
export interface ReceivedMessage extends MessageView {
  ack(): Promise<void>
  /** Another attempt after `delayMs`, or by the queue's policy. */
  retry(options?: {
    readonly delayMs?: number | undefined
    readonly error?: string | undefined
  }): Promise<void>
  /** Lets the lease end `leaseMs` from now. Errors: also `LeaseCapReached`. */
  extend(leaseMs: number): Promise<void>
  /** Gives the message back at once, and the attempt too. */
  release(): Promise<void>
  /** Moves the message to the dead-letter queue now. */
  deadLetter(error?: string): Promise<void>
}
