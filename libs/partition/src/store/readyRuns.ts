import { countOf, KirokuError, rangeFrom, type Ranges } from '@kiroku/protocol'
import { DelayedRun } from '../delay/DelayedRuns.ts'
import { isolateDelayed, missing } from '../delay/delayed.ts'
import type { Group, RunList } from '../groups/Group.ts'
import { groupTouched, offer } from '../groups/groupLists.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import type { Subscription } from '../state/Subscription.ts'
import { freeSlot } from './LiveSlab.ts'
import { takeOut } from './availableList.ts'

/** What new messages have beside their bodies. */
export interface Arrival {
  readonly first: number
  readonly count: number
  readonly bytes: number
  readonly tag?: string
  readonly group?: string
  /** Generations whose filter the messages do not pass. */
  readonly filteredBy?: readonly number[]
}

/** Stores new messages: for every subscription that they are for, or for the end of their delay. */
export const addArrival = (
  state: PartitionState,
  queue: QueueState,
  arrival: Arrival,
  enqueuedAt: number,
  delayMs: number,
): void => {
  if (queue.frameSeq !== state.frameSeq) {
    queue.frameSeq = state.frameSeq
    queue.frameCount = 0
  }
  const { first, count, bytes } = arrival
  const index = queue.frameCount
  queue.frameCount += count
  queue.nextNumber = first + count
  if (delayMs > 0) {
    const run = state.runs.alloc(first, count, state.frameSeq, index, enqueuedAt, delayMs, bytes)
    const { tag = '', group = '' } = arrival
    state.delayedRuns.push(new DelayedRun(queue, run, first, enqueuedAt + delayMs, tag, group))
    queue.delayed += count
    return
  }
  const { subs } = queue
  for (let i = 0; i < subs.length; i++) {
    const sub = subs[i]!
    sub.entered += count
    if (arrival.filteredBy?.includes(sub.id)) sub.discarded += count
    else addToReady(state, sub, arrival, state.frameSeq, index, enqueuedAt)
  }
}

/** Makes messages available to a subscription: at the end of the last run, or as a run of their own. */
const addToReady = (
  state: PartitionState,
  sub: Subscription,
  { first, count, bytes, group: key = '' }: Arrival,
  seq: number,
  index: number,
  enqueuedAt: number,
): void => {
  const { runs } = state
  const group = sub.groups?.of(key)
  const tail = (group ?? sub).readyTail
  if (
    tail !== 0 &&
    runs.delayMs(tail) === 0 &&
    runs.joins(tail, first, count, seq, index, enqueuedAt, bytes)
  ) {
    runs.grow(tail, count, bytes)
    becameReady(state, sub, group, count, bytes, enqueuedAt)
  } else appendRun(state, sub, runs.alloc(first, count, seq, index, enqueuedAt, 0, bytes), group)
}

/** Makes messages of the past available, behind those that were restored before and ahead of the newer ones. */
export const restoreRun = (state: PartitionState, sub: Subscription, run: number, key: string): void => {
  const { runs } = state
  const group = sub.groups?.of(key)
  const list: RunList = group ?? sub
  const before = list.restoredTail
  const behind = before === 0 ? list.readyHead : runs.next(before)
  if (before === 0) list.readyHead = run
  else runs.setNext(before, run)
  runs.setNext(run, behind)
  if (behind === 0) list.readyTail = run
  list.restoredTail = run
  if (group?.readyHead === run) sub.groups!.head(group, runs.first(run))
  becameReady(state, sub, group, runs.count(run), runs.bytes(run), runs.enqueuedAt(run))
}

const appendRun = (state: PartitionState, sub: Subscription, run: number, group: Group | undefined): void => {
  const { runs } = state
  const list: RunList = group ?? sub
  if (list.readyTail === 0) list.readyHead = run
  else runs.setNext(list.readyTail, run)
  runs.setNext(run, 0)
  list.readyTail = run
  if (group?.readyHead === run) sub.groups!.head(group, runs.first(run))
  becameReady(state, sub, group, runs.count(run), runs.bytes(run), runs.enqueuedAt(run))
}

/** Counts messages that became deliverable, and sees to the end of their retention. */
const becameReady = (
  state: PartitionState,
  sub: Subscription,
  group: Group | undefined,
  count: number,
  bytes: number,
  enqueuedAt: number,
): void => {
  if (sub.deliverable === 0) sub.availableSince = state.at
  sub.ready += count
  sub.readyBytes += bytes
  state.dirty.add(sub)
  if (group !== undefined) {
    group.ready += count
    group.lastArrivalAt = state.at
    offer(state, sub, group)
  }
  state.sweep.expect(enqueuedAt + sub.config.retentionMs)
}

/** Gives a run whose delay is over to the subscriptions that it is for. */
export const distribute = (
  state: PartitionState,
  { queue, run, group }: DelayedRun,
  filteredBy: readonly number[] | undefined,
): void => {
  const { runs } = state
  const count = runs.count(run)
  queue.delayed -= count
  let given = false
  for (const sub of queue.subs) {
    const own = ownCount(state, sub, run)
    sub.entered += own
    if (filteredBy?.includes(sub.id)) sub.discarded += own
    else if (own === count) {
      appendRun(state, sub, given ? runs.duplicate(run) : run, sub.groups?.of(group))
      given = true
    } else if (own > 0) {
      const whole = runs.duplicate(run)
      appendRun(state, sub, runs.split(whole, count - own), sub.groups?.of(group))
      runs.free(whole)
    }
  }
  if (!given) runs.free(run)
}

/** Messages of a run that are a subscription's own; it may begin in the middle of it. */
const ownCount = ({ runs }: PartitionState, sub: Subscription, run: number): number =>
  Math.min(runs.count(run), Math.max(0, runs.first(run) + runs.count(run) - sub.from))

/** The runs of a subscription that are available: in order, or group by group. */
export function* readyRuns({ runs }: PartitionState, sub: Subscription): Generator<number, void> {
  for (const list of listsOf(sub))
    for (let run = list.readyHead; run !== 0;) {
      const next = runs.next(run)
      yield run
      run = next
    }
}

/** Where a subscription keeps its runs: in one list, or in one a group. */
export const listsOf = (sub: Subscription): Iterable<RunList> =>
  sub.groups === undefined ? [sub] : sub.groups.all()

/** Makes the next untouched message, of all or of its group, a live one; its state is the caller's to set. */
export const takeFromRuns = (state: PartitionState, sub: Subscription, n: number): number => {
  const { runs, live } = state
  const group = sub.groups?.headedBy(n)
  const list: RunList = group ?? sub
  const run = list.readyHead
  if (run === 0 || runs.first(run) !== n)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} takes message ${n} of queue ${sub.queue.id}, which is not next`,
    )
  const slot = live.alloc(sub.index, n)
  live.seq[slot] = runs.seq(run)
  live.index[slot] = runs.index(run)
  live.enqueuedAt[slot] = runs.enqueuedAt(run)
  live.attempt[slot] = 0
  sub.ready--
  const isLast = runs.count(run) === 1
  if (isLast) {
    live.bytes[slot] = runs.bytes(run)
    list.readyHead = runs.next(run)
    if (list.readyHead === 0) list.readyTail = 0
    if (list.restoredTail === run) list.restoredTail = 0
    runs.free(run)
  } else live.bytes[slot] = runs.shrink(run, 1)
  sub.readyBytes -= live.bytes[slot]!
  if (group !== undefined) {
    group.ready--
    headMoved(state, sub, group)
    groupTouched(state, sub, group, slot)
  }
  return slot
}

/** Takes untouched messages, whose numbers are in order, out of the runs; calls back with each run that goes. */
export const takeUntouched = (
  state: PartitionState,
  sub: Subscription,
  numbers: Ranges,
  going: (run: number) => void,
): void => {
  let left = countOf(numbers)
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

/** Discards every message below `upTo` and forgets what was sent; as purges cover all of it, the runs go whole. */
export const purgeQueue = (state: PartitionState, queue: QueueState, upTo: number): void => {
  state.dedup.drop(queue)
  if (queue.delayed > 0) {
    for (const sub of queue.subs) {
      let waiting = 0
      for (const d of state.delayedRuns.items) if (d.queue === queue) waiting += ownCount(state, sub, d.run)
      sub.entered += waiting
      sub.discarded += waiting
    }
    state.delayedRuns.drop(queue, (d) => state.runs.free(d.run))
    queue.delayed = 0
  }
  queue.purgedTo = upTo
  for (const sub of queue.subs) purgeSubscription(state, sub, upTo)
}

/** Discards what one subscription has below `upTo`. */
const purgeSubscription = (state: PartitionState, sub: Subscription, upTo: number): void => {
  sub.discarded += sub.ready
  freeRuns(state, sub)
  const { live } = state
  const slots: number[] = []
  for (let slot = 0; slot < live.top; slot++)
    if (live.state[slot] !== freeSlot && live.owner[slot] === sub.index && live.number[slot]! < upTo) {
      takeOut(state, sub, slot)
      slots.push(slot)
    }
  live.freeAll(slots)
  sub.discarded += slots.length
  if (sub.flow !== undefined) state.dirty.add(sub)
}

/** Forgets a generation with everything that is its own. */
export const dropSubscription = (state: PartitionState, sub: Subscription): void => {
  failRedrives(state, sub)
  purgeSubscription(state, sub, Number.POSITIVE_INFINITY)
  state.subscriptions[sub.index] = undefined
  state.attempts.drop(sub)
  state.dirty.delete(sub)
  state.filling.delete(sub)
  state.holds.delete(sub)
}

const failRedrives = (state: PartitionState, sub: Subscription): void => {
  for (const redrive of state.redrives) {
    if (redrive.queue !== sub.queue.id || redrive.sub !== sub.id) continue
    redrive.state = 'failed'
    redrive.endedAt = state.at
    redrive.note = 'the subscription was reset or deleted'
    // What was only counted so far is known to no replay.
    redrive.skipped = {}
    redrive.filtered = 0
    redrive.left = 0
    delete redrive.selection
    state.redrives.delete(redrive)
  }
}

/** Forgets a queue with everything in it. */
export const dropQueue = (state: PartitionState, queue: QueueState): void => {
  purgeQueue(state, queue, Number.POSITIVE_INFINITY)
  state.queues.delete(queue.id)
  state.names.delete(queue.name)
  for (const sub of queue.subs) dropSubscription(state, sub)
}

const freeRuns = (state: PartitionState, sub: Subscription): void => {
  for (const run of readyRuns(state, sub)) state.runs.free(run)
  sub.readyHead = 0
  sub.readyTail = 0
  sub.restoredTail = 0
  sub.ready = 0
  sub.readyBytes = 0
  sub.groups?.forgetRuns()
}
