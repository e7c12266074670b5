import type { Hold, QueueConfig, QueueCounts, StateName } from '@kiroku/protocol'

/** A requested moment: a record of a partition (default: the queue's home), or a time in ms since 1970. */
export type AskedMoment = { readonly seq: number; readonly partition?: number } | { readonly time: number }

/** Where a queue, or a part of it, was then. */
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
  /** Absent: it is delayed, for all subscriptions. */
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

/** A subscription as of the moment. */
export interface MomentSubscription {
  readonly name: string
  readonly sub: number
  readonly deliveryPaused: boolean
  /** Deliveries were held; of several places the hold that ends last. */
  readonly hold?: Hold
  readonly counts: QueueCounts
}

/** A queue as of a moment: counts and settings. */
export interface QueueOverview {
  readonly queue: string
  /** The requested time, or that of the requested record. */
  readonly at: number
  /** The home first, then its parts. */
  readonly places: readonly MomentPart[]
  readonly config: QueueConfig
  readonly deliveryPaused: boolean
  /** Of all subscriptions together: a message counts once per subscription. */
  readonly counts: QueueCounts
  readonly subscriptions: readonly MomentSubscription[]
  /** Age of the oldest message that was not final, in ms; 0 when there was none. */
  readonly oldestAgeMs: number
}

/** The same with its messages. */
export interface QueueMoment extends QueueOverview {
  /** A page of the messages that were not final. */
  readonly messages: readonly MomentMessage[]
  /** How many messages matched the request. */
  readonly messagesTotal: number
  /** Cursor of the next page. */
  readonly next?: string
}
