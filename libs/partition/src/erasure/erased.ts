import { rangeTotal, KirokuError, pushRange, type Ranges, State } from '@kiroku/protocol'
import { isolateDelayed } from '../delay/delayed.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { retire } from '../store/availableList.ts'
import { distribute, readyRuns } from '../store/readyRuns.ts'
import { takeUntouched } from '../store/takeRuns.ts'

/** Which messages are meant: one, or all of a group. */
export type ErasedMessages = { readonly number: number } | { readonly group: string }

/** What of them a subscription is not done with, as ranges in the order of their numbers; delayed ones included. */
export const erasedAmong = (state: PartitionState, sub: Subscription, which: ErasedMessages): Ranges => {
  const numbers: number[] = []
  const add = (run: number, from: number): void => {
    const first = state.runs.first(run)
    for (let n = Math.max(first, from), end = first + state.runs.count(run); n < end; n++) numbers.push(n)
  }
  if ('number' in which) {
    if (isOpen(state, sub, which.number)) numbers.push(which.number)
  } else {
    const group = sub.groups?.find(which.group)
    if (group !== undefined) {
      for (let run = group.readyHead; run !== 0; run = state.runs.next(run)) add(run, 0)
      const { live } = state
      // Unordered groups have no list of all their live messages.
      let left = group.live
      for (let slot = 0; slot < live.top && left > 0; slot++) {
        if (live.owner[slot] !== sub.index || live.isFree(slot)) continue
        if (live.groupLinks.groupOf(slot) !== group.id) continue
        numbers.push(live.number[slot]!)
        left--
      }
    }
    if (sub.queue.delayed > 0)
      for (const d of state.delayedRuns.items)
        if (d.queue === sub.queue && d.group === which.group) add(d.run, sub.from)
  }
  const ranges: Ranges = []
  for (const n of numbers.sort((a, b) => a - b)) pushRange(ranges, n, 1)
  return ranges
}

const isOpen = (state: PartitionState, sub: Subscription, n: number): boolean => {
  if (state.live.find(sub.index, n) >= 0) return true
  if (n >= sub.from && state.findDelayed(sub.queue, n) !== undefined) return true
  for (const run of readyRuns(state, sub)) {
    const first = state.runs.first(run)
    if (first <= n && n < first + state.runs.count(run)) return true
  }
  return false
}

/** Those of `numbers` that this delivery still holds. */
export const heldUnder = (
  { live }: PartitionState,
  sub: Subscription,
  delivery: number,
  numbers: Iterable<number>,
): Ranges => {
  const held: Ranges = []
  for (const n of numbers) {
    const slot = live.find(sub.index, n)
    if (slot >= 0 && live.state[slot] === State.Inflight && live.delivery[slot] === delivery)
      pushRange(held, n, 1)
  }
  return held
}

/** Ends messages, whose numbers are in order, wherever they stand. Errors: `LogDamaged` when one is not there. */
export const takeErased = (state: PartitionState, sub: Subscription, numbers: Ranges): void => {
  const { live, runs } = state
  const untouched: Ranges = []
  for (let i = 0; i < numbers.length; i += 2)
    for (let n = numbers[i]!, end = n + numbers[i + 1]!; n < end; n++) {
      const slot = live.find(sub.index, n)
      if (slot >= 0) retire(state, sub, slot)
      else {
        endDelay(state, sub.queue, n)
        pushRange(untouched, n, 1)
      }
    }
  let left = rangeTotal(untouched)
  if (left > 0) takeUntouched(state, sub, untouched, (run) => (left -= runs.count(run)))
  if (left !== 0)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} erases messages of queue ${sub.queue.id} that are not there`,
    )
  sub.discarded += rangeTotal(numbers)
}

/** A delayed message is given to its subscriptions, each of which is then done with it. */
const endDelay = (state: PartitionState, queue: QueueState, n: number): void => {
  if (queue.delayed > 0 && state.findDelayed(queue, n) !== undefined)
    distribute(state, isolateDelayed(state, queue, n), undefined)
}
