import type { Hold, QueueConfig, QueueCounts, StateName } from '@kiroku/protocol'

/** A moment that is asked for: a record of a partition (without one: of the queue's home), or a time in ms since 1970. */
export type AskedMoment = { readonly seq: number; readonly partition?: number } | { readonly time: number }

/** Where a queue, or a part of it, lay then. */
export interface MomentPart {
  readonly partition: number
  /** Its id there. */
  readonly queue: number
  /** The last record that the moment contains, and the partition time of the last frame up to there in ms. */
  readonly seq: number
  readonly at: number
}

/** A message that was not final then. Times are ms of partition time. */
export interface MomentMessage {
  readonly messageId: string
  readonly partition: number
  readonly number: number
  /** Absent: it waits for its time, for all subscriptions. */
  readonly subscription?: string
  readonly state: StateName
  readonly attempt: number
  readonly enqueuedAt: number
  readonly bytes: number
  readonly group?: string
  /** When its delay or its pause ends. */
  readonly dueAt?: number
  readonly delivery?: number
  readonly leaseUntil?: number
}

/** A subscription as it stood then. */
export interface MomentSubscription {
  readonly name: string
  readonly sub: number
  readonly deliveryPaused: boolean
  /** Deliveries stood still; of several places the hold that ends last. */
  readonly hold?: Hold
  readonly counts: QueueCounts
}

/** A queue as it stood at a moment: counts and settings. */
export interface QueueOverview {
  readonly queue: string
  /** The time that was asked for, or that of the record that was. */
  readonly at: number
  /** The home first, then its parts. */
  readonly places: readonly MomentPart[]
  readonly config: QueueConfig
  readonly deliveryPaused: boolean
  /** Of all subscriptions together: a message counts once for each. */
  readonly counts: QueueCounts
  readonly subscriptions: readonly MomentSubscription[]
  /** Age of the oldest message that was not final, in ms; 0 when there was none. */
  readonly oldestAgeMs: number
}

/** The same with its messages. */
export interface QueueMoment extends QueueOverview {
  /** A page of the messages that were not final. */
  readonly messages: readonly MomentMessage[]
  /** How many there were of those that were asked for. */
  readonly messagesTotal: number
  /** Cursor of the next page. */
  readonly next?: string
}
