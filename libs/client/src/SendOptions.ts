import type { Body } from './Body.ts'
import type { Sendable } from './Sendable.ts'

/** How a message is sent. */
export interface SendOptions {
  /** Pause in ms before it can be received; absent: the queue's default; 0: none. */
  readonly delayMs?: number | undefined
  readonly attributes?: Readonly<Record<string, string>> | undefined
  /** Types of attributes that are not plain text, for readers who need them; binary attributes are base64. */
  readonly attributeTypes?: Readonly<Record<string, string>> | undefined
  /** What subscriptions filter by: up to 128 characters, no `|`; absent: none. */
  readonly tag?: string | undefined
  /**
   * Message group of an ordered queue, within which order is kept, or tenant of a fair one: up to 128 characters.
   * An ordered queue requires one with every message.
   */
  readonly group?: string | undefined
  /**
   * By what a deduplicating queue recognizes a repeat: up to 128 characters; absent: the body, if the queue
   * compares that. A repeat is answered with the id of the first message, and nothing more is stored.
   */
  readonly dedupId?: string | undefined
  /** Absent: `text/plain` for text, `application/json` for JSON, nothing for bytes. */
  readonly contentType?: string | undefined
  /** W3C trace context that travels with the message. */
  readonly traceparent?: string | undefined
  /** Trace context in another form, which travels with the message. */
  readonly traceHeader?: string | undefined
  /** Who sent it, as a door says that takes it for others; readers see it. */
  readonly sender?: string | undefined
}

/** Defaults for the messages of `sendBatch`. */
export type BatchOptions = Omit<SendOptions, 'dedupId'>

/** One message of `sendBatch`; its options win over the batch's. */
export interface OutgoingMessage<T = Body> extends SendOptions {
  readonly body: T & Sendable<T>
}

/** When a delayed message is to be due: one of the two. */
export interface RescheduleOptions {
  /** From now, in ms. */
  readonly delayMs?: number | undefined
  /** A time by the engine's clock, in ms since 1970. */
  readonly at?: number | Date | undefined
}
