import type { Actor } from '../event/Actor.ts'
import type { QueueAddress } from '../event/QueueAddress.ts'
import type { Ranges } from '../Ranges.ts'

/** Which messages a redrive moves; a message must pass all that is given. */
export interface RedriveFilter {
  readonly tag?: string
  /** Why they became dead letters: `retry`, `leaseExpired`, `nextReceive`, `onPurpose`, or `redriven`. */
  readonly cause?: string
  /** Part of the error they became dead letters with. */
  readonly error?: string
  /** Attributes that they have, with these values. */
  readonly attributes?: Readonly<Record<string, string>>
  /** Stored in this queue at this time or later, in ms since 1970. */
  readonly enqueuedAfter?: number
  /** Stored in this queue before this time, in ms since 1970. */
  readonly enqueuedBefore?: number
}

/** Where a redrive brings messages: each to where it came from, or all to one queue. */
export type RedriveTo = 'origin' | (QueueAddress & { readonly name: string })

/**
 * Why a message that passes the filter stays:
 *
 * - `noOrigin`: it was sent here, or redriven to here.
 * - `originGone`: the queue or the subscription that it came from is gone.
 * - `originIsSource`: it came from a queue whose place this one has taken.
 * - `tooOld`: the target counts retention from the first send, and would discard it at once.
 * - `schema`: its body was edited, and does not fit the schema of the target.
 * - `leased`: it was selected, and is in flight.
 * - `waiting`: it was selected, and waits for a delay or a retry to end.
 * - `gone`: it was selected, and is not in the queue any more: redriven before, acknowledged, discarded.
 */
export type RedriveSkip =
  | 'noOrigin'
  | 'originGone'
  | 'originIsSource'
  | 'tooOld'
  | 'schema'
  | 'leased'
  | 'waiting'
  | 'gone'

/** Messages that went to one queue. */
interface RedriveTarget {
  readonly queue: string
  moved: number
}

/** How a redrive stands. */
export type RedriveState = 'running' | 'completed' | 'cancelled' | 'failed'

/** One task that moves messages of a subscription to other queues. A dry run only counts, and is not on record. */
export interface Redrive {
  /** Number within its queue; 0 for a dry run. */
  readonly task: number
  readonly request: string
  readonly queue: number
  /** Generation whose messages it moves. */
  readonly sub: number
  readonly subscription: string
  readonly to: RedriveTo
  readonly filter: RedriveFilter
  /** The only messages that it looks at, until it is over; absent: all. */
  selection?: Ranges
  /** How many those are. */
  readonly selected?: number
  /** Messages a second, and in all; 0: no limit. */
  readonly rateMax: number
  readonly messagesMax: number
  /** Later messages stay. */
  readonly upTo: number
  readonly startedAt: number
  readonly by: Actor
  state: RedriveState
  endedAt: number
  note: string
  moved: number
  /** Moved messages by the name of the queue they went to. */
  targets: RedriveTarget[]
  /** What stays, and what is left to look at. Until the task ends, not part of the record. */
  skipped: Partial<Record<RedriveSkip, number>>
  filtered: number
  left: number
}

/** Whether it only counts. */
export const isDryRun = (redrive: Redrive): boolean => redrive.task === 0
