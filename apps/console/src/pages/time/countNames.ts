import type { QueueCounts } from '@kiroku/protocol'
import type { StateName } from '../../parts/StateMark.tsx'

/** The counts of a queue in their order, with the states that some of them count. */
export const countNames: readonly {
  readonly key: keyof QueueCounts
  readonly name: string
  readonly state?: StateName
}[] = [
  { key: 'delayed', name: 'Delayed', state: 'Delayed' },
  { key: 'available', name: 'Available', state: 'Available' },
  { key: 'inflight', name: 'In flight', state: 'Inflight' },
  { key: 'waitingRetry', name: 'Waiting retry', state: 'WaitingRetry' },
  { key: 'committed', name: 'Done', state: 'Committed' },
  { key: 'deadLettered', name: 'Dead letters', state: 'DLQ' },
  { key: 'discarded', name: 'Discarded', state: 'Discarded' },
  { key: 'sent', name: 'Sent' },
  { key: 'redelivered', name: 'Redelivered' },
]
