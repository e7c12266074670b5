/** Consecutive messages of one queue that became available together, as the record tells it. */
export interface PastRun {
  readonly first: number
  readonly count: number
  /** Where their bodies lie: frame, and place of the first among the queue's bodies there. */
  readonly seq: number
  readonly index: number
  readonly enqueuedAt: number
  readonly bytes: number
  /** Empty: none. */
  readonly tag: string
  readonly group: string
  /** First record that their bodies need: their frame, or one with a large body ahead of it. */
  readonly needsFrom: number
}

/** A part of a run. */
export const partOf = (run: PastRun, offset: number, count: number): PastRun => ({
  ...run,
  first: run.first + offset,
  count,
  index: run.index + offset,
  bytes: Math.round((run.bytes / run.count) * count),
})
