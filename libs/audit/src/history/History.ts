import type { Grants } from '@kiroku/protocol'
import type { Act } from '../acts/Act.ts'
import type { Tally } from './Tally.ts'

/** Counts of one bucket, by the time it begins; counts that are absent are 0. Times are ms since 1970. */
export interface HistoryBucket extends Partial<Tally> {
  readonly at: number
}

/** What happened to one queue. */
export interface QueueHistory {
  readonly queue: string
  readonly buckets: readonly HistoryBucket[]
}

/** An administrative act, and its place in the record. */
export type HistoryAct = Pick<Act, 'at' | 'partition' | 'seq' | 'event' | 'queue' | 'by'>

/** What happened over a span of time, in buckets of one length. Times are ms since 1970. */
export interface History {
  /** When the first bucket begins and the last one ends: at or around the requested times. */
  readonly from: number
  readonly to: number
  readonly bucketMs: number
  /** When it was requested. */
  readonly now: number
  /**
   * From when, and up to when, it is known what happened: before, there is no record; after, the auditor is
   * behind.
   */
  readonly known: { readonly from: number; readonly to: number }
  /** Buckets in which something happened, earliest first. */
  readonly buckets: readonly HistoryBucket[]
  /** Messages that were due and not final when the first bucket begins: `waiting` counts on from there. */
  readonly waitingBefore: number
  /** Administrative acts of the span, latest first, up to a limit. */
  readonly acts: readonly HistoryAct[]
  /** The same by queue, busiest first, if requested. */
  readonly queues?: readonly QueueHistory[]
  /** Queues where something happened, including those beyond the limit. */
  readonly queuesTotal?: number
}

/** A request for history. Times are ms since 1970. */
export interface AskedStretch {
  readonly queue?: string
  readonly from: number
  readonly to: number
  /** Most buckets. */
  readonly buckets: number
  readonly byQueue: boolean
  /** Only of queues that somebody with these grants may see. */
  readonly grants?: Grants
}
