import type {
  Actor,
  GroupDescription,
  KirokuError,
  NamesPage,
  QueueDescription,
  Ranges,
  RedriveDescription,
  RedriveFilter,
} from '@kiroku/protocol'
import type { Body } from './Body.ts'
import type { QueueChange } from './QueueChange.ts'
import type { ApplyOptions, QueueSection, QueueSettings } from './QueueSettings.ts'
import type { Subscriptions } from './Subscriptions.ts'

/** Which groups to describe. */
export interface GroupsOptions {
  /** Default: `main`. */
  readonly subscription?: string
  /** Most groups, up to 1,000 (default). */
  readonly max?: number
}

/** What a redrive moves, where to, and how fast. */
export interface RedriveOptions {
  /** Name of the queue that all go to; absent: each goes back to where it came from. */
  readonly to?: string
  /** Subscription whose messages are moved; default `main`. */
  readonly subscription?: string
  readonly filter?: RedriveFilter
  /**
   * Only these messages, by their numbers in the queue as pairs in order: first, count, first, count, … Those
   * that are not available stay, counted by reason.
   */
  readonly selection?: Ranges
  /** Most messages per second; absent: as fast as possible. */
  readonly rateMax?: number
  /** Most messages in all. */
  readonly messagesMax?: number
  /** Only count what would be moved where, and what would stay and why. */
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
  /** Its number in the queue it is in. */
  readonly number: number
  /** Its id, so that no other is meant. */
  readonly messageId: string
  readonly body: Body
  /** Absent: as before. */
  readonly contentType?: string
}

/** Messages that are to be discarded. */
export interface DiscardedMessages {
  /** Their partition: each part of a spread queue has its own numbers. */
  readonly partition: number
  /** Default: `main`. */
  readonly subscription?: string
  /** Their state; messages no longer in it are left alone. */
  readonly state: 'Available' | 'WaitingRetry'
  /** Their numbers, as ranges in order: first, count, first, count. */
  readonly numbers: Ranges
}

/** A pause that is wanted between two acts. */
export interface PauseOptions {
  /**
   * Refuses what is asked sooner after a queue of this name was deleted, or after a purge discarded something: `QueueDeletedRecently`,
   * `QueuePurgedRecently`. In ms, up to 2 minutes after a deletion; absent: no pause.
   */
  readonly pauseMs?: number | undefined
}

/** Administration of queues. Errors: `UnknownQueue`, `InvalidQueueName`, `InvalidConfig`, and what `Client` says. */
export interface Queues {
  readonly subscriptions: Subscriptions
  /** Creates a queue; an existing one with the same settings, and the notes that are named, is left alone. Errors: also `QueueExists`. */
  create(
    name: string,
    settings?: QueueSettings,
    by?: Actor,
    options?: PauseOptions,
  ): Promise<{ readonly created: boolean }>
  /** Changes the given settings and notes and leaves the others. Errors: also `InvalidArgument`, for notes. */
  update(name: string, settings: QueueSettings, by?: Actor): Promise<void>
  /**
   * Creates and changes queues and their subscriptions as a file says; nothing at all if it contradicts
   * itself or the queues. A section last applied from this source with this content is left alone, so that a
   * later change by hand stays.
   */
  apply(
    sections: Readonly<Record<string, QueueSection>>,
    options: ApplyOptions,
  ): Promise<readonly QueueChange[]>
  /**
   * Deletes a queue with everything in it. One that others name as their dead-letter queue is deleted only
   * with `force`; their dead letters then wait until a queue of that name exists again. Errors: also
   * `QueueInUse`.
   */
  delete(name: string, options?: { readonly force?: boolean }, by?: Actor): Promise<void>
  /** Discards every message that is not final. */
  purge(name: string, by?: Actor, options?: PauseOptions): Promise<{ readonly purged: number }>
  /**
   * Deletes the key of one message, or of all messages of a group so far: they become unreadable in every queue,
   * record or copy of it. Resolves when the keys are gone, with how many messages were not final. Errors: also
   * `NotErasable`, `UnknownMessage`, `InvalidArgument` (no reason), `KeysUnavailable`.
   */
  erase(name: string, what: EraseOptions, by?: Actor): Promise<{ readonly discarded: number }>
  /** Stops deliveries; sends are still accepted. */
  pause(name: string, by?: Actor): Promise<void>
  resume(name: string, by?: Actor): Promise<void>
  /**
   * Spreads the queue over this many partitions, its own included; resolves when new parts take sends and
   * removed ones do not. Removed ones deliver what they have and end when empty. Limits are divided among
   * all. Errors: also `InvalidArgument`, `InvalidConfig` for a queue that must stay in one place.
   */
  spread(name: string, partitions: number, by?: Actor): Promise<void>
  /**
   * Starts moving the messages that are available now, usually dead letters, back to where they came from or
   * to another queue. Resolves when it has started, a dry run when it is done; `redrives` reports the
   * progress. Messages keep their id and start with new attempts. Errors: also `RedriveRunning`,
   * `InvalidArgument`.
   */
  redrive(name: string, options?: RedriveOptions, by?: Actor): Promise<RedriveDescription>
  /**
   * Discards messages of a subscription that are still in the given state; resolves to how many. They
   * go to no dead-letter queue, and who discarded them is on record. Errors: also `UnknownSubscription`,
   * `InvalidArgument` (more than 1,000 messages, or numbers that are not in order).
   */
  discard(name: string, which: DiscardedMessages, by?: Actor): Promise<{ readonly discarded: number }>
  /**
   * Replaces the body of a message in a queue; from now on every receive gets the new one, also after a
   * redrive. What was sent stays on record. Resolves to false when it had that body already. Errors: also
   * `UnknownMessage`, `NotEditable` (it is in flight, or not in the queue), `BodyMismatch` (the schema of the
   * queue or of its origin), `BodyTooLarge`.
   */
  editBody(name: string, edit: BodyEdit, by?: Actor): Promise<{ readonly isEdited: boolean }>
  /** Running redrives of the queue, and the last ones that ended; newest first. */
  redrives(name: string): Promise<RedriveDescription[]>
  /** Ends a redrive; what was moved stays moved. Errors: also `UnknownRedrive`. */
  cancelRedrive(
    name: string,
    options?: { readonly subscription?: string; readonly task?: number },
    by?: Actor,
  ): Promise<RedriveDescription>
  /** @param options `lossWarnings: false`: without those warnings for which all partitions are asked */
  describe(name: string, options?: { readonly lossWarnings?: boolean }): Promise<QueueDescription>
  /** Message groups of a subscription: blocked ones first, with what blocks them. */
  groups(
    name: string,
    options?: GroupsOptions,
  ): Promise<{ readonly groups: readonly GroupDescription[]; readonly total: number }>
  /**
   * Names of queues in order, at most `max`, without a description of any.
   *
   * @param options `skipsClosed`: leaves out partitions that are closed because their log is damaged, which is an error otherwise
   */
  names(which: NamesPage, options?: { readonly skipsClosed?: boolean }): Promise<readonly string[]>
  /** All queues of the log, by name. */
  list(): Promise<QueueDescription[]>
  /**
   * The same of the partitions that can be read; closed ones are listed. Errors: as `list`, where all of them
   * are closed.
   */
  survey(): Promise<QueueSurvey>
}

/** The queues that can be read, and why others cannot. */
export interface QueueSurvey {
  /** By name. */
  readonly queues: QueueDescription[]
  /** Partitions that are closed because their log is damaged; their queues are missing here. */
  readonly missing: readonly {
    readonly partition: number
    readonly problem: Pick<KirokuError, 'id' | 'message' | 'help'>
  }[]
}
