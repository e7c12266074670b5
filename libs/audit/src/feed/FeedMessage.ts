import type { QueueCounts } from '@kiroku/partition'
import type { StateName } from '../TraceStep.ts'
import type { FromState } from './transitionsOf.ts'

/** So many messages went from one state to another. A message counts once for each subscription. */
export interface TransitionCount {
  readonly from: FromState
  readonly to: StateName
  readonly count: number
}

/** What happened to a queue in a stretch of the log: its counts behind it are those before it and `change`. */
export interface QueueChange {
  readonly queue: string
  readonly transitions: readonly TransitionCount[]
  /** What is not named did not change. */
  readonly change: Partial<QueueCounts>
  /** The queue, or its last part, is gone. */
  readonly ended?: true
}

/** How a queue stands. */
export interface QueueStanding {
  readonly queue: string
  readonly counts: QueueCounts
}

/** How far the feed is. */
export interface FeedPlace {
  /** By which a reader goes on from here. */
  readonly position: string
  /** By partition: the last record it contains. */
  readonly seqs: readonly number[]
  /** The latest partition time of these, in ms. */
  readonly at: number
  /** Records that the log has beyond. */
  readonly lag: number
}

/** What a reader of the feed gets: first how things stand, then what changes. */
export type FeedMessage =
  | ({ readonly kind: 'snapshot'; readonly queues: readonly QueueStanding[] } & FeedPlace)
  | ({ readonly kind: 'changes'; readonly queues: readonly QueueChange[] } & FeedPlace)

/** What a partition's follower tells the hub; each goes on where the one before it ended, or begins anew. */
export type PartitionNews = {
  readonly partition: number
  readonly seq: number
  readonly at: number
  /** Where the log ended when it was last looked at. */
  readonly lastSeq: number
} & (
  | { readonly kind: 'standing'; readonly queues: readonly ({ readonly id: number } & QueueStanding)[] }
  | { readonly kind: 'changes'; readonly queues: readonly ({ readonly id: number } & QueueChange)[] }
)
