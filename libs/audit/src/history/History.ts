import type { Act } from '../acts/Act.ts'
import type { Tally } from './Tally.ts'

/** What happened from a time on, for the length of a bucket; what is not named did not happen. Times are ms since 1970. */
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

/** What happened over a stretch of time, in buckets of one length. Times are ms since 1970. */
export interface History {
  /** When the first bucket begins and the last one ends: at or around what was asked for. */
  readonly from: number
  readonly to: number
  readonly bucketMs: number
  /** When it was asked. */
  readonly now: number
  /** From when on, and up to when, it is known what happened: the record begins, and the auditor is behind. */
  readonly known: { readonly from: number; readonly to: number }
  /** Those in which something happened, the earliest first. */
  readonly buckets: readonly HistoryBucket[]
  /** Messages that were due and not final when the first bucket begins: `waiting` counts on from there. */
  readonly waitingBefore: number
  /** Administrative acts of the stretch, the latest first, as many as there is room for. */
  readonly acts: readonly HistoryAct[]
  /** The same by queue, those where most happened first, where it was asked for. */
  readonly queues?: readonly QueueHistory[]
  /** Queues where something happened, also those that there was no room for. */
  readonly queuesTotal?: number
}

/** What is asked. Times are ms since 1970. */
export interface AskedStretch {
  readonly queue?: string
  readonly from: number
  readonly to: number
  /** Most buckets. */
  readonly buckets: number
  readonly byQueue: boolean
}
