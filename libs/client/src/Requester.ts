import type { MessageView } from './MessageView.ts'
import type { SendOptions } from './SendOptions.ts'
import type { Sendable } from './Sendable.ts'
import { type QueueDefinition } from './schema/defineQueue.ts'

/** Settings of a requester. */
export interface RequesterOptions {
  /** Default wait of a request for its reply, in ms; default 30,000. */
  readonly timeoutMs?: number
  /**
   * Queue for replies, shared by any number of requesters, none of which sees another's replies; default
   * `replies`. It is created if it is missing.
   */
  readonly queue?: string
}

/** How one request is sent and awaited. */
export interface RequestReplyOptions extends SendOptions {
  /** How long to wait for the reply, in ms, from the call. */
  readonly timeoutMs?: number
  /** Aborting rejects with the signal's reason; the request may still be processed. */
  readonly signal?: AbortSignal
}

/** Sends requests and waits for their replies, which arrive at its own address. */
export interface Requester {
  /**
   * Sends a message and resolves with its reply, which needs no verdict. Its attributes `replyTo`, `replyGroup` and
   * `correlationId` say where a reply goes, the queue and group, and the correlation id: `Client.reply` reads
   * them, and so can a worker behind another door. Errors: `ReplyTimeout`, `InvalidConfig` (the queue for replies has no
   * groups), and those of `Client.send`.
   */
  request<In>(
    queue: QueueDefinition<In, unknown>,
    body: NoInfer<In & Sendable<In>>,
    options?: RequestReplyOptions,
  ): Promise<MessageView>
  request<T>(queue: string, body: T & Sendable<T>, options?: RequestReplyOptions): Promise<MessageView>
  /**
   * Replies so far that no request waited for: late ones, and duplicates of a request that was processed
   * twice.
   */
  readonly dropped: number
  /** Fails what is awaited with `Stopped`; later replies are discarded after two minutes. */
  close(): Promise<void>
}
