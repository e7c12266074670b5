import type { MessageView } from './MessageView.ts'
import type { SendOptions } from './SendOptions.ts'
import type { Sendable } from './Sendable.ts'
import { type QueueDefinition } from './schema/defineQueue.ts'

/** Settings of a requester. */
export interface RequesterOptions {
  /** How long a request waits for its reply where it does not say, in ms; default 30,000. */
  readonly timeoutMs?: number
  /**
   * Queue that its replies come through, which any number of requesters share and none sees another's reply in; default
   * `replies`. It is created if it is missing.
   */
  readonly queue?: string
}

/** How one request is sent and awaited. */
export interface RequestReplyOptions extends SendOptions {
  /** How long to wait for the reply, in ms, from the call. */
  readonly timeoutMs?: number
  /** Aborting rejects with the signal's reason; the request may be worked on all the same. */
  readonly signal?: AbortSignal
}

/** Sends requests and waits for their replies, which come to an address that is its own. */
export interface Requester {
  /**
   * Sends a message and resolves with its reply, which needs no verdict. Its attributes `replyTo`, `replyGroup` and
   * `correlationId` say where a reply goes, the queue and the group there, and what it is to carry: `Client.reply` reads
   * them, and so can a worker behind another door. Errors: `ReplyTimeout`, `InvalidConfig` (the queue for replies has no
   * groups), and those of `Client.send`.
   */
  request<In>(
    queue: QueueDefinition<In, unknown>,
    body: NoInfer<In & Sendable<In>>,
    options?: RequestReplyOptions,
  ): Promise<MessageView>
  request<T>(queue: string, body: T & Sendable<T>, options?: RequestReplyOptions): Promise<MessageView>
  /** Replies so far that no request waited for: late ones, and second ones of a request that was worked on twice. */
  readonly dropped: number
  /** Fails what is awaited with `Stopped`; later replies are discarded after two minutes. */
  close(): Promise<void>
}
