import {
  effectOf,
  type FromState,
  type LogEvent,
  type MessageChange,
  type MessageEnd,
  type Ranges,
  State,
  type StateName,
  stateNames,
} from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'

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
  const effect = 'queue' in event ? effectOf(event) : undefined
  if (effect === undefined) return
  const queue = state.queues.get((event as { queue: number }).queue)
  if (effect.kind === 'end') ended(effect, queue, state, tell)
  else if (effect.to !== undefined && effect.from !== effect.to)
    changed(effect, effect.to, queue, state, tell)
}

const changed = (
  change: MessageChange,
  to: StateName,
  queue: QueueState | undefined,
  state: PartitionState,
  tell: OnTransition,
): void => {
  const { numbers, from, sub: id, filteredBy = [], filtered = [], wereDelivered } = change
  if (id === undefined) {
    // What is delayed is so for all subscriptions.
    if (to === 'Delayed')
      return eachRange(numbers, (first, count) => tell(from!, to, first, count, undefined))
    return eachRange(numbers, (first, count) =>
      toAll(queue, first, (sub) =>
        tell(from!, filteredBy.includes(sub.id) ? 'Discarded' : to, first, count, sub),
      ),
    )
  }
  const sub = queue?.subs.find((each) => each.id === id)
  const known = wereDelivered === true && sub?.available === 0 && sub.waitingRetry === 0 ? 'Inflight' : from
  if (known === undefined) return lookedUp(state, sub, numbers, to, tell)
  eachRange(numbers, (first, count) => tell(known, to, first, count, sub))
  eachRange(filtered, (first, count) => tell(known, 'Discarded', first, count, sub))
}

const eachRange = (numbers: Ranges, each: (first: number, count: number) => void): void => {
  for (let i = 0; i < numbers.length; i += 2) each(numbers[i]!, numbers[i + 1]!)
}

/** The subscriptions that messages from this number on are for. */
const toAll = (queue: QueueState | undefined, first: number, each: (sub: Subscription) => void): void => {
  for (const sub of queue?.subs ?? []) if (sub.from <= first) each(sub)
}

/** Messages that may come from several states: each is looked up, and neighbours from one state are told together. */
const lookedUp = (
  state: PartitionState,
  subscription: Subscription | undefined,
  numbers: Ranges,
  to: StateName,
  tell: OnTransition,
): void => {
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
  sub.queue.delayed > 0 && state.findDelayed(sub.queue, n) !== undefined
    ? stateNames[State.Delayed]
    : stateNames[State.Available]

const ended = (
  { sub }: MessageEnd,
  queue: QueueState | undefined,
  state: PartitionState,
  tell: OnTransition,
): void => {
  if (queue === undefined) return
  if (sub === undefined) {
    for (const { queue: of, run } of queue.delayed > 0 ? state.delayedRuns.items : []) {
      if (of !== queue) continue
      const [first, count] = [state.runs.first(run), state.runs.count(run)]
      toAll(queue, first, (each) => tell('Delayed', 'Discarded', first, count, each))
    }
    for (const each of queue.subs) allOf(each, tell)
  } else allOf(typeof sub === 'string' ? queue.named(sub) : queue.subs.find(({ id }) => id === sub), tell)
}

/** All messages that are not final under a subscription. */
const allOf = (sub: Subscription | undefined, tell: OnTransition): void => {
  if (sub === undefined) return
  if (sub.deliverable > 0) tell('Available', 'Discarded', 0, sub.deliverable, sub)
  if (sub.inflight > 0) tell('Inflight', 'Discarded', 0, sub.inflight, sub)
  if (sub.waitingRetry > 0) tell('WaitingRetry', 'Discarded', 0, sub.waitingRetry, sub)
}
