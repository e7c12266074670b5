import { transitionsOf, type PartitionState } from '@kiroku/partition'
import type { FromState, LogEvent, StateName } from '@kiroku/protocol'
import type { TallyField } from './Tally.ts'

/** Called with a count that grows, or with `waiting` when it shrinks. */
export type OnCount = (field: TallyField, by: number) => void

const fieldOf: Readonly<Partial<Record<StateName, TallyField>>> = {
  Inflight: 'delivered',
  Committed: 'committed',
  DLQ: 'deadLettered',
  Discarded: 'discarded',
}

const waits = (state: FromState): number =>
  state === 'Available' || state === 'Inflight' || state === 'WaitingRetry' ? 1 : 0

/** Names what an event adds to the counts of its queue. `state` is the partition's just before it. */
export const countEvent = (event: LogEvent, state: PartitionState, add: OnCount): void => {
  if (event.type === 'Enqueued' || event.type === 'ForwardReceived') add('sent', event.count)
  transitionsOf(event, state, (from, to, first, count, sub) => {
    const field = fieldOf[to]
    if (field !== undefined) add(field, count)
    const grew = waits(to) - waits(from)
    if (grew !== 0) add('waiting', grew * count)
    if (from === 'Inflight' && isFailure(event)) add('failed', count)
    if (event.type === 'Released' || event.type === 'Deferred') add('released', count)
    // A message that was never delivered is not among the live ones.
    if (event.type !== 'Delivered' || sub === undefined || sub.available === 0) return
    let again = 0
    for (let n = first; n < first + count; n++) if (state.live.find(sub.index, n) >= 0) again++
    if (again > 0) add('redelivered', again)
  })
}

/** Whether an event ends failed attempts. */
const isFailure = (event: LogEvent): boolean =>
  event.type === 'RetryScheduled' ||
  event.type === 'LeaseExpired' ||
  event.type === 'DeadLettered' ||
  (event.type === 'Discarded' && event.reason === 'exhausted')
