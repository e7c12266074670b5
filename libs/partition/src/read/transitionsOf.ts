import {
  type FromState,
  type LogEvent,
  newMessage,
  type Ranges,
  State,
  type StateName,
  stateNames,
} from '@kiroku/protocol'
import { findDelayed } from '../delay/delayed.ts'
import { runNumbers } from '../past/PastRun.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import type { Subscription } from '../state/Subscription.ts'

/**
 * Told of messages that change their state together: `count` from `first` on, under a subscription, or for all of them
 * where they were not given out yet.
 */
export type OnTransition = (
  from: FromState,
  to: StateName,
  first: number,
  count: number,
  sub: Subscription | undefined,
) => void

/**
 * Names the changes of state that an event makes. `state` is the partition's just before it. What ends messages without
 * naming them (a purge, the end of a queue or of a subscription) is told by counts, with 0 for the first.
 */
export const transitionsOf = (event: LogEvent, state: PartitionState, tell: OnTransition): void => {
  switch (event.type) {
    case 'Enqueued': {
      const { first, count, dueAt, filteredBy } = event
      if (dueAt !== 0) return tell(newMessage, 'Delayed', first, count, undefined)
      return arrived(state.queues.get(event.queue), newMessage, first, count, filteredBy, tell)
    }
    case 'ForwardReceived': {
      const { first, count, filteredBy } = event
      return arrived(state.queues.get(event.queue), newMessage, first, count, filteredBy, tell)
    }
    case 'DelayElapsed':
      return eachRange(event.numbers, (first, count) =>
        arrived(state.queues.get(event.queue), 'Delayed', first, count, event.filteredBy, tell),
      )
    case 'Recalled':
      return toAll(state.queues.get(event.queue), event.number, (sub) =>
        tell('Delayed', 'Discarded', event.number, 1, sub),
      )
    case 'RunsRestored': {
      const sub = state.subscriptionOf(event.queue, event.sub)
      for (let i = 0; i < event.runs.length; i += runNumbers)
        tell(newMessage, 'Available', event.runs[i]!, event.runs[i + 1]!, sub)
      return eachRange(event.filtered ?? [], (first, count) =>
        tell(newMessage, 'Discarded', first, count, sub),
      )
    }
    case 'Delivered':
      return named(state, event, 'Available', 'Inflight', tell)
    case 'Released':
      return named(state, event, 'Inflight', 'Available', tell)
    case 'RetryDue':
      return named(state, event, 'WaitingRetry', 'Available', tell)
    case 'RetryScheduled':
    case 'Deferred':
    case 'LeaseExpired':
      return named(state, event, 'Inflight', event.dueAt === 0 ? 'Available' : 'WaitingRetry', tell)
    case 'Acked':
      return givenOut(state, event, 'Committed', tell)
    case 'DeadLettered':
      return givenOut(state, event, 'DLQ', tell)
    case 'Discarded':
    case 'Redriven':
      return looked(state, event, 'Discarded', tell)
    case 'QueuePurged':
    case 'QueueDeleted': {
      const queue = state.queues.get(event.queue)
      if (queue === undefined) return
      for (const delayed of queue.delayed > 0 ? state.delayedRuns.items : []) {
        if (delayed.queue !== queue) continue
        const [first, count] = [state.runs.first(delayed.run), state.runs.count(delayed.run)]
        toAll(queue, first, (sub) => tell('Delayed', 'Discarded', first, count, sub))
      }
      for (const sub of queue.subs) ended(sub, tell)
      return
    }
    case 'SubscriptionDeleted':
      return ended(state.subscriptionOf(event.queue, event.sub), tell)
    case 'SubscriptionReset':
      return ended(state.queues.get(event.queue)?.named(event.name), tell)
    default:
      return
  }
}

type Numbered = Extract<LogEvent, { sub: number; numbers: Ranges }>

const eachRange = (numbers: Ranges, each: (first: number, count: number) => void): void => {
  for (let i = 0; i < numbers.length; i += 2) each(numbers[i]!, numbers[i + 1]!)
}

/** The subscriptions that messages from this number on are for. */
const toAll = (queue: QueueState | undefined, first: number, each: (sub: Subscription) => void): void => {
  for (const sub of queue?.subs ?? []) if (sub.from <= first) each(sub)
}

const arrived = (
  queue: QueueState | undefined,
  from: FromState,
  first: number,
  count: number,
  filteredBy: readonly number[] = [],
  tell: OnTransition,
): void =>
  toAll(queue, first, (sub) =>
    tell(from, filteredBy.includes(sub.id) ? 'Discarded' : 'Available', first, count, sub),
  )

const named = (
  state: PartitionState,
  { queue, sub, numbers }: Numbered,
  from: StateName,
  to: StateName,
  tell: OnTransition,
): void => {
  const subscription = state.subscriptionOf(queue, sub)
  eachRange(numbers, (first, count) => tell(from, to, first, count, subscription))
}

/** Messages that were given out: where none waits to be given out again, all are in flight, and none is looked up. */
const givenOut = (state: PartitionState, event: Numbered, to: StateName, tell: OnTransition): void => {
  const sub = state.subscriptionOf(event.queue, event.sub)
  if (sub?.available === 0 && sub.waitingRetry === 0) return named(state, event, 'Inflight', to, tell)
  looked(state, event, to, tell)
}

/** Messages that may come from several states: each is looked up, and neighbours from one state are told together. */
const looked = (
  state: PartitionState,
  { queue, sub, numbers }: Numbered,
  to: StateName,
  tell: OnTransition,
): void => {
  const subscription = state.subscriptionOf(queue, sub)
  if (subscription === undefined) return
  const { live } = state
  eachRange(numbers, (first, count) => {
    let begin = first
    let before: StateName | undefined
    for (let n = first; n < first + count; n++) {
      const slot = live.find(subscription.index, n)
      const from = slot >= 0 ? stateNames[live.state[slot]!]! : untouched(state, subscription, n)
      if (before !== undefined && from !== before) {
        tell(before, to, begin, n - begin, subscription)
        begin = n
      }
      before = from
    }
    if (before !== undefined) tell(before, to, begin, first + count - begin, subscription)
  })
}

const untouched = (state: PartitionState, sub: Subscription, n: number): StateName =>
  sub.queue.delayed > 0 && findDelayed(state, sub.queue, n) !== undefined
    ? stateNames[State.Delayed]
    : stateNames[State.Available]

const ended = (sub: Subscription | undefined, tell: OnTransition): void => {
  if (sub === undefined) return
  if (sub.deliverable > 0) tell('Available', 'Discarded', 0, sub.deliverable, sub)
  if (sub.inflight > 0) tell('Inflight', 'Discarded', 0, sub.inflight, sub)
  if (sub.waitingRetry > 0) tell('WaitingRetry', 'Discarded', 0, sub.waitingRetry, sub)
}
