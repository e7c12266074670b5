import type { QueueCounts } from './QueueDescription.ts'

/** A queue's counts before anything happened to it. */
export const noCounts: QueueCounts = {
  delayed: 0,
  available: 0,
  inflight: 0,
  waitingRetry: 0,
  sent: 0,
  committed: 0,
  deadLettered: 0,
  discarded: 0,
  redelivered: 0,
}
