import type { QueueChange, QueueSnapshot } from './PartitionUpdate.ts'

/** How far the feed is. */
export interface FeedProgress {
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
export type FeedUpdate =
  | ({ readonly kind: 'snapshot'; readonly queues: readonly QueueSnapshot[] } & FeedProgress)
  | ({ readonly kind: 'changes'; readonly queues: readonly QueueChange[] } & FeedProgress)
