import { DelayedRun } from '../delay/DelayedRuns.ts'
import type { Group, RunList } from '../groups/Group.ts'
import { offer } from '../groups/groupLists.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'

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
    state.watcher?.counted(queue, enqueuedAt, count)
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
  const { watcher } = state
  if (sub.deliverable === 0) watcher?.becameAvailable(sub)
  sub.ready += count
  sub.readyBytes += bytes
  watcher?.look(sub)
  if (group !== undefined) {
    group.ready += count
    group.lastArrivalAt = state.at
    offer(state, sub, group)
  }
  watcher?.counted(sub.queue, enqueuedAt, count)
  watcher?.expect(enqueuedAt + sub.config.retentionMs)
}

/** Gives a run whose delay has elapsed to the subscriptions that it is for. */
export const distribute = (
  state: PartitionState,
  { queue, run, group }: DelayedRun,
  filteredBy: readonly number[] | undefined,
): void => {
  const { runs } = state
  const count = runs.count(run)
  queue.delayed -= count
  state.watcher?.counted(queue, runs.enqueuedAt(run), -count)
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
export const ownCount = ({ runs }: PartitionState, sub: Subscription, run: number): number =>
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
