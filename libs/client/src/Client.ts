import type {
  Actor,
  ConsumeMode,
  DeadLetterTarget,
  GroupDescription,
  KirokuError,
  PartitionDescription,
  QueueConfig,
  QueueDescription,
  Ranges,
  RedriveDescription,
  RedriveFilter,
  StartPosition,
  SubscriptionSettings as StoredSubscriptionSettings,
} from '@kiroku/protocol'
import type { BatchHandler, ConsumeOptions, Consumer, MessageHandler } from './Consumer.ts'
import type { MessageView } from './MessageView.ts'
import type { QueueChange } from './QueueChange.ts'
import type { ReceivedMessage, ReleaseOptions, RetryOptions } from './ReceivedMessage.ts'
import type { Requester, RequesterOptions } from './Requester.ts'
import type { Sendable } from './Sendable.ts'
import type { QueueDefinition } from './schema/defineQueue.ts'

/** What JSON can say. */
export type Json =
  string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

/** A body: text, bytes, or anything JSON can say. */
export type Body = Uint8Array | Json

/** How a message is sent. */
export interface SendOptions {
  /** Pause in ms before it can be received; absent: the queue's default; 0: none. */
  readonly delayMs?: number | undefined
  readonly attributes?: Readonly<Record<string, string>> | undefined
  /** What subscriptions filter by: up to 128 characters, no `|`; absent: none. */
  readonly tag?: string | undefined
  /**
   * Message group of an ordered queue, within which order is kept, or tenant of a fair one: up to 128 characters.
   * An ordered queue wants one with every message.
   */
  readonly group?: string | undefined
  /**
   * By what a queue that deduplicates knows a repeat: up to 128 characters; absent: by the body, where the queue
   * looks at that. A repeat is answered with the id of the first message, and nothing more is stored.
   */
  readonly dedupId?: string | undefined
  /** Absent: `text/plain` for text, `application/json` for JSON, nothing for bytes. */
  readonly contentType?: string | undefined
  /** W3C trace context that travels with the message. */
  readonly traceparent?: string | undefined
}

/** How the messages of `sendBatch` are sent that say nothing else. */
export type BatchOptions = Omit<SendOptions, 'dedupId'>

/** One message of `sendBatch`; what it sets beats the batch's options. */
export interface OutgoingMessage<T = Body> extends SendOptions {
  readonly body: T & Sendable<T>
}

/** How messages are received. */
export interface ReceiveOptions {
  /** Absent: `main`. Errors: `UnknownSubscription`. */
  readonly subscription?: string
  /** Only messages of this group, in a queue that has groups; absent: of all. No `batchWaitMs` goes with it. */
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
   * Client-unique id of what this receive is for, up to 128 characters. Repeated with it within five minutes, also by
   * another client, a receive gets the same batch as far as that is still held, under new leases. A receive that the
   * client itself repeats, because its answer was lost, gets the same batch without one.
   */
  readonly attemptId?: string
  /** Lease in ms, from the queue's `leaseMinMs`; absent: the queue's. */
  readonly leaseMs?: number
  /** `simple` (default): an expired lease makes the message available at once; `push`: by the retry policy. */
  readonly mode?: ConsumeMode
  /** Aborting rejects with the signal's reason; a delivery on its way is released. */
  readonly signal?: AbortSignal
}

/** When a delayed message is to be due: one of the two. */
export interface RescheduleOptions {
  /** From now, in ms. */
  readonly delayMs?: number | undefined
  /** A moment by the engine's clock, in ms since 1970. */
  readonly at?: number | Date | undefined
}

/** What became of one receipt. */
export interface SettleResult {
  readonly receipt: string
  /** Absent: accepted. */
  readonly error?: KirokuError
}

/** Settings of a queue as people give them: the dead-letter queue by name. Times are in ms. */
export type QueueSettings = Partial<Omit<QueueConfig, 'deadLetter'>> & {
  /** Name of the dead-letter queue, which is created if it is missing; null: none. */
  readonly deadLetter?: string | DeadLetterTarget | null
}

/** Settings of a subscription as people give them; what is absent is its queue's. Times are in ms. */
export type SubscriptionSettings = Omit<StoredSubscriptionSettings, 'deadLetter'> &
  Pick<QueueSettings, 'deadLetter'>

/**
 * Administration of subscriptions: consumer groups, each with its own deliveries, retries and dead letters over the
 * messages of one queue. Errors: `UnknownQueue`, `UnknownSubscription`, `InvalidConfig`, and what `Client` says.
 */
export interface Subscriptions {
  /**
   * Creates a subscription, which gets what is sent from now on, or begins at `start`; an existing one with the same
   * settings is left alone, wherever that began. Errors: also `SubscriptionExists`, `BeyondRecord`,
   * `InvalidQueueName` (the same rule holds for names of subscriptions).
   */
  create(
    queue: string,
    name: string,
    settings?: SubscriptionSettings & { readonly start?: StartPosition },
    by?: Actor,
  ): Promise<{ readonly created: boolean }>
  /** Changes the given settings and leaves the others. */
  update(queue: string, name: string, settings: SubscriptionSettings, by?: Actor): Promise<void>
  /**
   * Begins anew, with what is sent from now on or at `start`; receipts of deliveries before name nothing any more.
   * Errors: also `BeyondRecord`.
   */
  reset(queue: string, name: string, start?: StartPosition, by?: Actor): Promise<void>
  /** Deletes a subscription with what is its own; the others stay as they are. */
  delete(queue: string, name: string, by?: Actor): Promise<void>
  /** Stops deliveries to this subscription alone. */
  pause(queue: string, name: string, by?: Actor): Promise<void>
  resume(queue: string, name: string, by?: Actor): Promise<void>
}

/** Which groups to describe. */
export interface GroupsOptions {
  /** Default: `main`. */
  readonly subscription?: string
  /** Most groups, up to 1,000 (default). */
  readonly max?: number
}

/** What a file says of a queue: what it does not say stays as it is. */
export type QueueSection = QueueSettings & {
  /** Subscriptions by name; those that are not named stay as they are. */
  readonly subscriptions?: Readonly<Record<string, SubscriptionSettings>>
}

/** Whose sections are applied, and how. */
export interface ApplyOptions {
  /** Name of the file or the Worker, the same on every machine; up to 100 characters. */
  readonly source: string
  /** Settings of a queue that is created by this, beneath what its section says. */
  readonly newQueue?: QueueSettings
  /** Tells what would change, and changes nothing. */
  readonly dryRun?: boolean
  readonly by?: Actor
}

/** What a redrive moves, where to, and how fast. */
export interface RedriveOptions {
  /** Name of the queue that all go to; absent: each goes back to where it came from. */
  readonly to?: string
  /** Subscription whose messages are moved; default `main`. */
  readonly subscription?: string
  readonly filter?: RedriveFilter
  /**
   * Only these messages, by their numbers in the queue as pairs in order: first, count, first, count, … What is not
   * available among them stays, and is counted by the reason.
   */
  readonly selection?: Ranges
  /** Most messages a second; absent: as fast as it goes. */
  readonly rateMax?: number
  /** Most messages in all. */
  readonly messagesMax?: number
  /** Only counts what would be moved, to where, and what would stay and why. */
  readonly dryRun?: boolean
}

/** What is erased, and why: one message, or a group. */
export interface EraseOptions {
  readonly messageId?: string
  readonly group?: string
  /** For the record. */
  readonly reason: string
}

/** Another body for a message. */
export interface BodyEdit {
  /** Its number in the queue where it lies. */
  readonly number: number
  /** Its id, so that no other is meant. */
  readonly messageId: string
  readonly body: Body
  /** Absent: as before. */
  readonly contentType?: string
}

/** Messages that are to be discarded. */
export interface DiscardedMessages {
  /** Where they lie: of a spread queue, each part has numbers of its own. */
  readonly partition: number
  /** Default: `main`. */
  readonly subscription?: string
  /** How they stand; those that moved on are left alone. */
  readonly state: 'Available' | 'WaitingRetry'
  /** Their numbers, as ranges in order: first, count, first, count. */
  readonly numbers: Ranges
}

/** Administration of queues. Errors: `UnknownQueue`, `InvalidQueueName`, `InvalidConfig`, and what `Client` says. */
export interface Queues {
  readonly subscriptions: Subscriptions
  /** Creates a queue; an existing one with the same settings is left alone. Errors: also `QueueExists`. */
  create(name: string, settings?: QueueSettings, by?: Actor): Promise<{ readonly created: boolean }>
  /** Changes the given settings and leaves the others. */
  update(name: string, settings: QueueSettings, by?: Actor): Promise<void>
  /**
   * Creates and changes queues and their subscriptions as a file says, all or none where it contradicts itself or the queues. A section that
   * was applied last from this source with this content is left alone, so that a later change by hand stays.
   */
  apply(
    sections: Readonly<Record<string, QueueSection>>,
    options: ApplyOptions,
  ): Promise<readonly QueueChange[]>
  /**
   * Deletes a queue with everything in it. One that others name as their dead-letter queue is deleted by `force` only;
   * what would go there then waits until a queue of that name is there again. Errors: also `QueueInUse`.
   */
  delete(name: string, options?: { readonly force?: boolean }, by?: Actor): Promise<void>
  /** Discards every message that is not final. */
  purge(name: string, by?: Actor): Promise<{ readonly purged: number }>
  /**
   * Deletes the key of one message, or of all messages of a group so far: nobody can read them any more, in no queue,
   * record or copy of it. Resolves when the keys are gone, with how many messages were not final. Errors: also
   * `NotErasable`, `UnknownMessage`, `InvalidArgument` (no reason), `KeysUnavailable`.
   */
  erase(name: string, what: EraseOptions, by?: Actor): Promise<{ readonly discarded: number }>
  /** Stops deliveries; sends are still accepted. */
  pause(name: string, by?: Actor): Promise<void>
  resume(name: string, by?: Actor): Promise<void>
  /**
   * Lets the queue lie on so many partitions, its own among them; resolves when those that are new take sends and
   * the others none. These deliver what they have and end when they are empty. Limits are shared out among all.
   * Errors: also `InvalidArgument`, `InvalidConfig` for a queue that must stay in one place.
   */
  spread(name: string, partitions: number, by?: Actor): Promise<void>
  /**
   * Begins to move the messages that are available now, dead letters above all, to where they came from or to
   * another queue. Resolves when it has begun, a dry run when it is done; `redrives` tells how far it is. Messages
   * keep their id and begin with new attempts. Errors: also `RedriveRunning`, `InvalidArgument`.
   */
  redrive(name: string, options?: RedriveOptions, by?: Actor): Promise<RedriveDescription>
  /**
   * Ends messages of a subscription for good, as far as they still stand as they are said to; resolves to how many. They
   * go to no dead-letter queue, and who discarded them is on record. Errors: also `UnknownSubscription`,
   * `InvalidArgument` (more than 1,000 messages, or numbers that are not in order).
   */
  discard(name: string, which: DiscardedMessages, by?: Actor): Promise<{ readonly discarded: number }>
  /**
   * Gives a message that lies in a queue another body; who has it gets that from now on, also after a redrive, and
   * what was sent stays on record. Resolves to false when it had that body already. Errors: also `UnknownMessage`,
   * `NotEditable` (somebody works on it, or it is not there), `BodyMismatch` (the schema of the queue or of its
   * origin), `BodyTooLarge`.
   */
  editBody(name: string, edit: BodyEdit, by?: Actor): Promise<{ readonly isEdited: boolean }>
  /** Redrives of the queue that run, and the last ones that ended; the youngest first. */
  redrives(name: string): Promise<RedriveDescription[]>
  /** Ends a redrive; what was moved stays moved. Errors: also `UnknownRedrive`. */
  cancelRedrive(
    name: string,
    options?: { readonly subscription?: string; readonly task?: number },
    by?: Actor,
  ): Promise<RedriveDescription>
  describe(name: string): Promise<QueueDescription>
  /** Message groups of a subscription: those that are held up first, with what holds them up. */
  groups(
    name: string,
    options?: GroupsOptions,
  ): Promise<{ readonly groups: readonly GroupDescription[]; readonly total: number }>
  /** All queues of the log, by name. */
  list(): Promise<QueueDescription[]>
  /** The same of the partitions that can be read; a closed one is named. Errors: as `list`, where all of them are closed. */
  survey(): Promise<QueueSurvey>
}

/** The queues that can be read, and why others cannot. */
export interface QueueSurvey {
  /** By name. */
  readonly queues: QueueDescription[]
  /** Partitions that are closed because their log is damaged; queues of theirs are not told of. */
  readonly missing: readonly {
    readonly partition: number
    readonly problem: Pick<KirokuError, 'id' | 'message' | 'help'>
  }[]
}

/** Of which partitions a clock is confirmed, and who says so. */
export interface ConfirmClockOptions {
  /** Default: all. */
  readonly partition?: number
  readonly by?: Actor
}

/** By how much the time of a partition was moved on. */
export interface ClockStep {
  readonly partition: number
  readonly steppedMs: number
}

/**
 * Sends, receives and settles messages, and administers queues.
 *
 * Losing the engine for a while is no error: requests are repeated with growing pauses, safely, because sends
 * carry a number and settling names a delivery. Errors that reach the caller are `KirokuError`s; beside those of
 * each call: `Unavailable`, `Timeout`, `NatsUnreachable`, `Busy`, `StorageFull`, `Stopped` (after `close`).
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
  /** Stores many messages in order; resolves when all are stored. Not atomic beyond 1,000 messages or 512 KiB. */
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
   * Takes messages; an empty array when there is none within the wait. By a definition: those that fit; the others are
   * dead-lettered.
   */
  receive<Out>(
    queue: QueueDefinition<unknown, Out>,
    options?: ReceiveOptions,
  ): Promise<ReceivedMessage<Out>[]>
  receive(queue: string, options?: ReceiveOptions): Promise<ReceivedMessage[]>
  /** Settles by receipt; one result a receipt, in order. A malformed or foreign receipt is a result, not a rejection. */
  ack(receipts: string | readonly string[]): Promise<SettleResult[]>
  /** Gives messages back for another attempt, after `delayMs` or by the queue's policy. */
  retry(receipts: string | readonly string[], options?: RetryOptions): Promise<SettleResult[]>
  /** Lets the leases end `leaseMs` from now. */
  extend(receipts: string | readonly string[], leaseMs: number): Promise<SettleResult[]>
  /** Gives messages back, at once or after `delayMs`, and the attempt too. Errors: `InvalidArgument`. */
  release(receipts: string | readonly string[], options?: ReleaseOptions): Promise<SettleResult[]>
  /** Moves messages to the dead-letter queue now, on purpose. */
  deadLetter(receipts: string | readonly string[], error?: string): Promise<SettleResult[]>
  /**
   * Cancels a message that is not due yet: nobody will receive it. Resolves when that is stored.
   * Errors: `NotDelayed` (its delay is over, or it was recalled before), `UnknownMessage`.
   */
  recall(messageId: string, by?: Actor): Promise<void>
  /**
   * Gives a message that is not due yet another time, from now up to 14 days ahead. A moment that is over means now.
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
  /** Runs the handler for each message: returning acknowledges it, throwing retries it. */
  consumeEach<Out>(
    queue: QueueDefinition<unknown, Out>,
    handler: MessageHandler<NoInfer<Out>>,
    options?: ConsumeOptions,
  ): Consumer
  consumeEach(queue: string, handler: MessageHandler, options?: ConsumeOptions): Consumer
  /** Makes a requester, whose replies reach it alone although all requesters share one queue for them. */
  requester(options?: RequesterOptions): Requester
  /**
   * Replies to a requester's message. Resolves to whether the reply queue exists. The
   * reply to a requester that is gone is discarded after two minutes.
   * Errors: `InvalidArgument` (the message asks for no reply), and those of `send`.
   */
  reply<T>(request: MessageView, body: T & Sendable<T>, options?: SendOptions): Promise<boolean>
  readonly queues: Queues
  /** Every partition of the log as its owner sees it; one that does not answer is left out. */
  partitions(): Promise<PartitionDescription[]>
  /**
   * Says which clock is right, the store's or the owner's, of partitions where they disagree: their time moves on to what
   * that clock shows, never back. Where they agree nothing happens. `by`: as administrative acts are recorded; default:
   * the client's actor.
   */
  confirmClock(clock: 'store' | 'node', options?: ConfirmClockOptions): Promise<ClockStep[]>
  /** Closes requesters, stops consumers, waits for what is under way, closes the transport. */
  close(): Promise<void>
}
