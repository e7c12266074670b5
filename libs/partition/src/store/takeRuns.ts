import { rangeTotal, KirokuError, rangeFrom, type Ranges } from '@kiroku/protocol'
import { isolateDelayed, missing } from '../delay/delayed.ts'
import type { Group, RunList } from '../groups/Group.ts'
import { groupTouched } from '../groups/groupLists.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { distribute, listsOf } from './readyRuns.ts'

/**
 * Makes the next untouched messages, of all or of a group, live ones: up to `max` from number `n` on, as far as one run goes. The state
 * of each is `became`'s to set. Returns how many they are.
 */
export const takeFromRuns = (
  state: PartitionState,
  sub: Subscription,
  n: number,
  max: number,
  became: (slot: number) => void,
): number => {
  const { runs, live } = state
  const group = sub.groups?.headedBy(n)
  const list: RunList = group ?? sub
  const run = list.readyHead
  if (run === 0 || runs.first(run) !== n)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} takes message ${n} of queue ${sub.queue.id}, which is not next`,
    )
  const count = Math.min(max, runs.count(run))
  const seq = runs.seq(run)
  const enqueuedAt = runs.enqueuedAt(run)
  for (let i = 0; i < count; i++) {
    const slot = live.alloc(sub.index, n + i)
    live.seq[slot] = seq
    live.index[slot] = runs.index(run)
    live.enqueuedAt[slot] = enqueuedAt
    live.attempt[slot] = 0
    live.bytes[slot] = runs.count(run) === 1 ? runs.bytes(run) : runs.shrink(run, 1)
    sub.readyBytes -= live.bytes[slot]!
    if (group !== undefined) groupTouched(state, sub, group, slot)
    became(slot)
  }
  // The last message of a run is not cut off it.
  if (runs.first(run) < n + count) {
    list.readyHead = runs.next(run)
    if (list.readyHead === 0) list.readyTail = 0
    if (list.restoredTail === run) list.restoredTail = 0
    runs.free(run)
  }
  sub.ready -= count
  if (group !== undefined) {
    group.ready -= count
    headMoved(state, sub, group)
  }
  return count
}

/** Takes untouched messages, whose numbers are in order, out of the runs; calls back with each run that goes. */
export const takeUntouched = (
  state: PartitionState,
  sub: Subscription,
  numbers: Ranges,
  going: (run: number) => void,
): void => {
  let left = rangeTotal(numbers)
  // Retention takes what a group begins with, and must not look through a million others for it.
  const headed = sub.groups?.headedBy(numbers[0]!)
  if (headed !== undefined) left -= takeFromList(state, sub, headed, numbers, left, going)
  if (left === 0) return
  for (const list of listsOf(sub)) {
    if (left === 0) return
    left -= takeFromList(state, sub, list, numbers, left, going)
  }
}

const takeFromList = (
  state: PartitionState,
  sub: Subscription,
  list: RunList,
  numbers: Ranges,
  max: number,
  going: (run: number) => void,
): number => {
  const { runs } = state
  const group = sub.groups === undefined ? undefined : (list as Group)
  if (list.readyHead === 0) return 0
  let taken = 0
  let before = 0
  for (let run = list.readyHead; run !== 0 && taken < max;) {
    const first = runs.first(run)
    const r = rangeFrom(numbers, first)
    if (r === numbers.length || numbers[r]! >= first + runs.count(run)) {
      ;[before, run] = [run, runs.next(run)]
      continue
    }
    // Further stretches of this run lie in the rest of it, which is looked at next.
    const from = Math.max(first, numbers[r]!)
    const to = Math.min(first + runs.count(run), numbers[r]! + numbers[r + 1]!)
    if (first < from) {
      splitReady(state, list, run, from - first)
      ;[before, run] = [run, runs.next(run)]
    }
    if (runs.count(run) > to - from) splitReady(state, list, run, to - from)
    const next = runs.next(run)
    if (before === 0) list.readyHead = next
    else runs.setNext(before, next)
    if (list.readyTail === run) list.readyTail = before
    if (list.restoredTail === run) list.restoredTail = before
    sub.ready -= to - from
    sub.readyBytes -= runs.bytes(run)
    if (group !== undefined) group.ready -= to - from
    taken += to - from
    state.watcher?.counted(sub.queue, runs.enqueuedAt(run), from - to)
    going(run)
    runs.free(run)
    run = next
  }
  if (group === undefined || taken === 0) return taken
  headMoved(state, sub, group)
  sub.groups!.forget(group)
  return taken
}

/** The first run of a group is another one, or has lost messages at its beginning. */
const headMoved = ({ runs }: PartitionState, sub: Subscription, group: Group): void => {
  const run = group.readyHead
  sub.groups!.head(group, run === 0 ? 0 : runs.first(run))
}

/** Puts an untouched message, delayed or in the middle of a run, ahead of the others of its list, so that it is the next one. */
export const bringForward = (state: PartitionState, sub: Subscription, n: number): void => {
  const { runs } = state
  let place = placeOf(state, sub, n)
  if (place === undefined) {
    endDelay(state, sub.queue, n)
    place = placeOf(state, sub, n)
  }
  if (place === undefined) throw missing(state, sub.queue, n)
  const { list } = place
  let { before, run } = place
  if (runs.first(run) < n) {
    splitReady(state, list, run, n - runs.first(run))
    ;[before, run] = [run, runs.next(run)]
  }
  if (runs.count(run) > 1) splitReady(state, list, run, 1)
  if (before === 0) return
  runs.setNext(before, runs.next(run))
  if (list.readyTail === run) list.readyTail = before
  if (list.restoredTail === run) list.restoredTail = before
  runs.setNext(run, list.readyHead)
  list.readyHead = run
  sub.groups?.head(list as Group, n)
}

/** The ready run that holds an untouched message, its list, and the run before it there. */
export const placeOf = (
  { runs }: PartitionState,
  sub: Subscription,
  n: number,
): { list: RunList; before: number; run: number } | undefined => {
  for (const list of listsOf(sub))
    for (let before = 0, run = list.readyHead; run !== 0; before = run, run = runs.next(run))
      if (runs.first(run) <= n && n < runs.first(run) + runs.count(run)) return { list, before, run }
  return undefined
}

/** Ends the delay of one message. */
const endDelay = (state: PartitionState, queue: QueueState, n: number): void =>
  distribute(state, isolateDelayed(state, queue, n), undefined)

/** Makes the first `count` messages of a run one of their own. */
export const splitReady = ({ runs }: PartitionState, list: RunList, run: number, count: number): void => {
  const rest = runs.split(run, count)
  runs.setNext(rest, runs.next(run))
  runs.setNext(run, rest)
  if (list.readyTail === run) list.readyTail = rest
  if (list.restoredTail === run) list.restoredTail = rest
}
