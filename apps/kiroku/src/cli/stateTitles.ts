import type { QueueCounts } from '@kiroku/protocol'

/** What every table calls the states of messages, and what else is counted. */
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
