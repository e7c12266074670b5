import type { QueueCounts } from '@kiroku/protocol'

/** Column titles for the states of messages and other counts, shared by all tables. */
export const stateTitles: Readonly<Record<keyof QueueCounts, string>> = {
  available: 'available',
  delayed: 'delayed',
  inflight: 'in flight',
  waitingRetry: 'waiting retry',
  sent: 'sent',
  committed: 'committed',
  deadLettered: 'dead-lettered',
  discarded: 'discarded',
  redelivered: 'redelivered',
}

/** The states of a subscription that tables show. */
export const subscriptionStates = [
  'available',
  'inflight',
  'waitingRetry',
  'committed',
  'deadLettered',
  'discarded',
] as const
