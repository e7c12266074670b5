import type { QueueConfig } from '../settings/QueueConfig.ts'
import type { Actor } from '../event/Actor.ts'
import type { AppliedSection, NoteChanges } from '../event/queue.ts'
import type { Ranges } from '../Ranges.ts'
import {
  act,
  flag,
  listOf,
  number,
  numbers,
  optional,
  record,
  shape,
  subscribing,
  text,
  type Shapes,
} from './shape.ts'

/** What a queue is to be like. */
interface QueueChange {
  queue: string
  config: Partial<QueueConfig>
  /** Those that are not named stay. */
  notes?: NoteChanges
  by: Actor
  /** The answer is what it would be, and nothing happens. */
  dryRun?: boolean
  /** The configuration is this section of a file; one that was applied last from its source is not applied again. */
  applied?: AppliedSection
}

/** Administration of queues. */
export type QueueCommand =
  /** Refused where a queue of this name was deleted within the last `pauseMs`, of up to 2 minutes. */
  | ({ type: 'CreateQueue'; pauseMs?: number } & QueueChange)
  | ({ type: 'ConfigureQueue' } & QueueChange)
  /** Refused while a queue of the same partition names it as its dead-letter queue, unless forced. */
  | { type: 'DeleteQueue'; queue: string; force?: boolean; by: Actor }
  /** Refused where a purge discarded something within the last `pauseMs`. */
  | { type: 'PurgeQueue'; queue: string; pauseMs?: number; by: Actor }
  /** Ends those of the messages that are in this state now; `numbers` are ranges in their order. */
  | {
      type: 'Discard'
      queue: string
      subscription: string
      state: 'Available' | 'WaitingRetry'
      numbers: Ranges
      by: Actor
    }
  /** Without a subscription: of all. */
  | { type: 'PauseDelivery'; queue: string; subscription?: string; by: Actor }
  | { type: 'ResumeDelivery'; queue: string; subscription?: string; by: Actor }

/** Said where notes were named; an owner that knows none passes over them. */
interface Noted {
  readonly noted?: true
}

/** Answers by command type. */
export interface QueueAnswers {
  CreateQueue: { readonly queue: number; readonly created: boolean } & Noted
  ConfigureQueue: { readonly queue: number } & Noted
  DeleteQueue: { readonly queue: number }
  PurgeQueue: { readonly purged: number }
  Discard: { readonly discarded: number }
  PauseDelivery: { readonly queue: number }
  ResumeDelivery: { readonly queue: number }
}

const section = shape({ source: text, digest: text })
const noteChange = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && text(value[0]) && (value[1] === null || text(value[1]))
const configuration = {
  ...act,
  config: record,
  notes: optional(listOf(noteChange)),
  dryRun: optional(flag),
  applied: optional(section),
}

/** What each of these commands must hold; ranges and meaning are the partition's to check. */
export const queueShapes: Shapes<QueueCommand> = {
  CreateQueue: shape({ ...configuration, pauseMs: optional(number) }),
  ConfigureQueue: shape(configuration),
  DeleteQueue: shape({ ...act, force: optional(flag) }),
  PurgeQueue: shape({ ...act, pauseMs: optional(number) }),
  Discard: shape({
    ...subscribing,
    state: (value) => value === 'Available' || value === 'WaitingRetry',
    numbers,
  }),
  PauseDelivery: shape({ ...act, subscription: optional(text) }),
  ResumeDelivery: shape({ ...act, subscription: optional(text) }),
}
