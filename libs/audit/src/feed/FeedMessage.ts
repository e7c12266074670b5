import type { QueueChange, QueueStanding } from '@kiroku/protocol'

/** How far the feed is. */
export interface FeedPlace {
  /** By which a reader goes on from here. */
  readonly position: string
  /** By partition: the last record it contains. */
  readonly seqs: readonly number[]
  /** The latest partition time of these, in ms. */
  readonly at: number
  /** Partitions that do not answer now: of them it contains what was heard last, if anything. */
  readonly silent: readonly number[]
}

/** What a reader of the feed gets: first how things stand, then what changes. */
export type FeedMessage =
  | ({ readonly kind: 'snapshot'; readonly queues: readonly QueueStanding[] } & FeedPlace)
  | ({ readonly kind: 'changes'; readonly queues: readonly QueueChange[] } & FeedPlace)
