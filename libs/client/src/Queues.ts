import type {
  Actor,
  GroupDescription,
  KirokuError,
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
   * Deletes the key of one message, or of all messages of a group so far: they become unreadable in every queue,
   * record or copy of it. Resolves when the keys are gone, with how many messages were not final. Errors: also
   * `NotErasable`, `UnknownMessage`, `InvalidArgument` (no reason), `KeysUnavailable`.
   */
  erase(name: string, what: EraseOptions, by?: Actor): Promise<{ readonly discarded: number }>
  /** Stops deliveries; sends are still accepted. */
  pause(name: string, by?: Actor): Promise<void>
  resume(name: string, by?: Actor): Promise<void>
  /**
   * Spreads the queue over this many partitions, its own among them; resolves when those that are new take sends and
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
   * `NotEditable` (it is in flight, or not there), `BodyMismatch` (the schema of the queue or of its
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
