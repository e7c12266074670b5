import type { Actor, ConsumeMode, KirokuError, PartitionDescription } from '@kiroku/protocol'
import type { AbortSignalLike } from './AbortSignalLike.ts'
import type { BatchHandler, ConsumeOptions, Consumer, MessageHandler } from './Consumer.ts'
import type { MessageView } from './MessageView.ts'
import type { Queues } from './Queues.ts'
import type { ReceivedMessage } from './ReceivedMessage.ts'
import type { Requester, RequesterOptions } from './Requester.ts'
import type { BatchOptions, OutgoingMessage, RescheduleOptions, SendOptions } from './SendOptions.ts'
import type { Sendable } from './Sendable.ts'
import type { ReleaseOptions, RetryOptions } from './Settlement.ts'
import type { QueueDefinition } from './schema/defineQueue.ts'

/** How messages are received. */
export interface ReceiveOptions {
  /** Absent: `main`. Errors: `UnknownSubscription`. */
  readonly subscription?: string
  /**
   * Only messages of this group, in a queue that has groups; absent: all groups. Cannot be combined with
   * `batchWaitMs`.
   */
  readonly group?: string
  /** Most messages, 1 (default) to 1,000. */
  readonly max?: number
  /** Most bytes of bodies, from the second message on. */
  readonly bytesMax?: number
  /** Long poll in ms, 0 to 60,000; absent: the queue's default. */
  readonly waitMs?: number
  /** Time in ms, from the first available message, to wait for a fuller batch. */
  readonly batchWaitMs?: number
  /**
   * Unique id of the purpose of this receive, up to 128 characters. A receive repeated with it within five
   * minutes, even by another client, gets the same batch as far as that is still leased, under new leases.
   * Repeats by the client itself, after a lost answer, get the same batch without one.
   */
  readonly attemptId?: string
  /** Lease in ms, from the queue's `leaseMinMs`; absent: the queue's. */
  readonly leaseMs?: number
  /** `simple` (default): an expired lease makes the message available at once; `push`: by the retry policy. */
  readonly mode?: ConsumeMode
  /** Aborting rejects with the signal's reason; a delivery on its way is released. */
  readonly signal?: AbortSignalLike
}

/** The result of one receipt. */
export interface SettleResult {
  readonly receipt: string
  /** Absent: accepted. */
  readonly error?: KirokuError
}

/** For which partitions a clock is confirmed, and by whom. */
export interface ConfirmClockOptions {
  /** Default: all. */
  readonly partition?: number
  readonly by?: Actor
}

/** By how much the time of a partition advanced. */
export interface ClockStep {
  readonly partition: number
  readonly steppedMs: number
}

/**
 * Sends, receives and settles messages, and administers queues.
 *
 * Losing the engine for a while is not an error: requests are repeated with growing pauses, safely, because
 * sends carry a number and settling names a delivery. Errors that reach the caller are `KirokuError`s;
 * besides those of each call: `Unavailable`, `Timeout`, `NatsUnreachable`, `Busy`, `StorageFull`, `MemoryFull`, `Stopped`
 * (after `close`).
 */
export interface Client {
  /**
   * Stores one message; resolves when it is stored. Concurrent sends travel together.
   * Errors: `UnknownQueue`, `BodyTooLarge`, `BodyMismatch` (the schema of the queue), `InvalidArgument`, `SendUnknown` (no answer within `sendTimeoutMs`).
   */
  send<In>(
    queue: QueueDefinition<In, unknown>,
    body: NoInfer<In & Sendable<In>>,
    options?: SendOptions,
  ): Promise<{ readonly messageId: string }>
  send<T>(
    queue: string,
    body: T & Sendable<T>,
    options?: SendOptions,
  ): Promise<{ readonly messageId: string }>
  /** Stores many messages in order; resolves when all are stored. Up to 1,000 messages or 784 KiB are stored together or not at all. */
  sendBatch<In>(
    queue: QueueDefinition<In, unknown>,
    messages: readonly OutgoingMessage<NoInfer<In>>[],
    options?: BatchOptions,
  ): Promise<{ readonly messageIds: string[] }>
  sendBatch<T>(
    queue: string,
    messages: readonly OutgoingMessage<T>[],
    options?: BatchOptions,
  ): Promise<{ readonly messageIds: string[] }>
  /**
   * Receives messages; an empty array when none arrives within the wait. By a definition: those that fit; the
   * others are dead-lettered.
   */
  receive<Out>(
    queue: QueueDefinition<unknown, Out>,
    options?: ReceiveOptions,
  ): Promise<ReceivedMessage<Out>[]>
  receive(queue: string, options?: ReceiveOptions): Promise<ReceivedMessage[]>
  /**
   * Settles by receipt; one result per receipt, in order. A malformed or foreign receipt is a result, not a
   * rejection.
   */
  ack(receipts: string | readonly string[]): Promise<SettleResult[]>
  /** Gives messages back for another attempt, after `delayMs` or by the queue's policy. Errors: `InvalidArgument`. */
  retry(receipts: string | readonly string[], options?: RetryOptions): Promise<SettleResult[]>
  /** Lets the leases end `leaseMs` from now. */
  extend(receipts: string | readonly string[], leaseMs: number): Promise<SettleResult[]>
  /**
   * Gives messages back, at once or after `delayMs`, without counting the attempt. Errors: `InvalidArgument`.
   */
  release(receipts: string | readonly string[], options?: ReleaseOptions): Promise<SettleResult[]>
  /** Moves messages to the dead-letter queue now, on purpose. */
  deadLetter(receipts: string | readonly string[], error?: string | Error): Promise<SettleResult[]>
  /**
   * Cancels a message that is not due yet: it will not be delivered. Resolves when that is stored.
   * Errors: `NotDelayed` (its delay has ended, or it was recalled already), `UnknownMessage`.
   */
  recall(messageId: string, by?: Actor): Promise<void>
  /**
   * Reschedules a message that is not due yet, from now up to 14 days ahead. A past time means now.
   * Errors: `NotDelayed`, `UnknownMessage`, `InvalidArgument` (a time after the end of its retention).
   */
  reschedule(messageId: string, to: RescheduleOptions, by?: Actor): Promise<void>
  /** Runs the handler for each batch until it is stopped. */
  consume<Out>(
    queue: QueueDefinition<unknown, Out>,
    handler: BatchHandler<NoInfer<Out>>,
    options?: ConsumeOptions,
  ): Consumer
  consume(queue: string, handler: BatchHandler, options?: ConsumeOptions): Consumer
  /**
   * Runs the handler for each message: returning acknowledges it, throwing retries it. Runs it for all messages of a batch
   * at once, and takes more while some of them take their time; for those of an ordered group one after another, and for none
   * behind one that is to come again.
   */
  consumeEach<Out>(
    queue: QueueDefinition<unknown, Out>,
    handler: MessageHandler<NoInfer<Out>>,
    options?: ConsumeOptions,
  ): Consumer
  consumeEach(queue: string, handler: MessageHandler, options?: ConsumeOptions): Consumer
  /** Creates a requester. Only it gets its replies, although all requesters share one queue for them. */
  requester(options?: RequesterOptions): Requester
  /**
   * Replies to a requester's message. Resolves to whether the reply queue exists. The
   * reply to a requester that is gone is discarded after two minutes.
   * Errors: `InvalidArgument` (the message does not ask for a reply), and those of `send`.
   */
  reply<T>(request: MessageView, body: T & Sendable<T>, options?: SendOptions): Promise<boolean>
  readonly queues: Queues
  /** Every partition of the log as its owner sees it; unresponsive ones are left out. */
  partitions(): Promise<PartitionDescription[]>
  /**
   * Decides which clock is right, the store's or the owner's, for partitions where they disagree: their time
   * advances to that clock, never back. Where they agree nothing happens. `by`: as administrative acts are
   * recorded; default: the client's actor.
   */
  confirmClock(clock: 'store' | 'node', options?: ConfirmClockOptions): Promise<ClockStep[]>
  /** Closes requesters, stops consumers, waits for what is in flight, closes the transport. */
  close(): Promise<void>
}
