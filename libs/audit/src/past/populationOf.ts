import type { Population } from '@kiroku/message'
import type { QueueCounts } from '@kiroku/protocol'

/** The counts of a queue by the states of the machine. */
export const populationOf = (counts: QueueCounts): Population => ({
  Held: 0,
  Delayed: counts.delayed,
  Available: counts.available,
  Inflight: counts.inflight,
  WaitingRetry: counts.waitingRetry,
  Committed: counts.committed,
  DLQ: counts.deadLettered,
  Discarded: counts.discarded,
})
