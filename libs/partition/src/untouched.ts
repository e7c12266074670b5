import { KirokuError } from '@kiroku/message'
import type { DelayedRun, PartitionState } from './state/PartitionState.ts'
import type { QueueState } from './state/QueueState.ts'
import type { Subscription } from './state/Subscription.ts'
import { freeSlot } from './state/LiveSlab.ts'
import { takeOut } from './touched.ts'

/** What new messages have beside their bodies. */
export interface Arrival {
  readonly first: number
  readonly count: number
  readonly bytes: number
  readonly tag?: string
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
    delayRun(state, { queue, run, dueAt: enqueuedAt + delayMs, tag: arrival.tag ?? '' })
    queue.delayed += count
    return
  }
  const { subs } = queue
  for (let i = 0; i < subs.length; i++) {
    const sub = subs[i]!
    sub.entered += count
    if (arrival.filteredBy?.includes(sub.id)) sub.discarded += count
    else addToReady(state, sub, first, count, state.frameSeq, index, enqueuedAt, bytes)
  }
}

/** Lets a run wait for its time. */
const delayRun = (state: PartitionState, delayed: DelayedRun): void => state.delayedRuns.push(delayed)

/** Makes messages available to a subscription: at the end of its last run, or as a run of their own. */
const addToReady = (
  state: PartitionState,
  sub: Subscription,
  first: number,
  count: number,
  seq: number,
  index: number,
  enqueuedAt: number,
  bytes: number,
): void => {
  const { runs } = state
  const tail = sub.readyTail
  if (
    tail !== 0 &&
    runs.delayMs(tail) === 0 &&
    runs.joins(tail, first, count, seq, index, enqueuedAt, bytes)
  ) {
    runs.grow(tail, count, bytes)
    becameReady(state, sub, count, bytes, enqueuedAt)
  } else appendRun(state, sub, runs.alloc(first, count, seq, index, enqueuedAt, 0, bytes))
}

const appendRun = (state: PartitionState, sub: Subscription, run: number): void => {
  const { runs } = state
  if (sub.readyTail === 0) sub.readyHead = run
  else runs.setNext(sub.readyTail, run)
  runs.setNext(run, 0)
  sub.readyTail = run
  becameReady(state, sub, runs.count(run), runs.bytes(run), runs.enqueuedAt(run))
}

/** Counts messages that became deliverable, and sees to the end of their retention. */
const becameReady = (
  state: PartitionState,
  sub: Subscription,
  count: number,
  bytes: number,
  enqueuedAt: number,
): void => {
  if (sub.deliverable === 0) sub.availableSince = state.at
  sub.ready += count
  sub.readyBytes += bytes
  state.dirty.add(sub)
  const expiresAt = enqueuedAt + sub.config.retentionMs
  if (expiresAt < state.sweepAt) state.sweepAt = expiresAt
}

/** The delayed run that begins with message `first`, which leaves the heap. */
export const takeDelayed = (state: PartitionState, queue: QueueState, first: number): DelayedRun => {
  const heap = state.delayedRuns
  const isIt = (d: DelayedRun): boolean => d.queue === queue && state.runs.first(d.run) === first
  const top = heap.peek()
  if (top !== undefined && isIt(top)) return heap.pop()!
  const found = heap.items.find(isIt)
  if (found === undefined) throw missing(state, queue, first)
  heap.filter((d) => d !== found)
  return found
}

/** Gives a run whose delay is over to the subscriptions that it is for. */
export const distribute = (
  state: PartitionState,
  { queue, run }: DelayedRun,
  filteredBy: readonly number[] | undefined,
): void => {
  const { runs } = state
  const first = runs.first(run)
  const count = runs.count(run)
  queue.delayed -= count
  let given = false
  for (const sub of queue.subs) {
    if (sub.from > first) continue
    sub.entered += count
    if (filteredBy?.includes(sub.id)) {
      sub.discarded += count
      continue
    }
    appendRun(state, sub, given ? runs.duplicate(run) : run)
    given = true
  }
  if (!given) runs.free(run)
}

/** Makes the next untouched message, which must be number `n`, a live one; its state is the caller's to set. */
export const takeFromRuns = (state: PartitionState, sub: Subscription, n: number): number => {
  const runs = state.runs
  const run = sub.readyHead
  if (run === 0 || runs.first(run) !== n)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} takes message ${n} of queue ${sub.queue.id}, which is not next`,
    )
  const live = state.live
  const slot = live.alloc(sub.index, n)
  live.seq[slot] = runs.seq(run)
  live.index[slot] = runs.index(run)
  live.enqueuedAt[slot] = runs.enqueuedAt(run)
  live.attempt[slot] = 0
  sub.ready--
  if (runs.count(run) > 1) live.bytes[slot] = runs.shrink(run, 1)
  else {
    live.bytes[slot] = runs.bytes(run)
    sub.readyHead = runs.next(run)
    if (sub.readyHead === 0) sub.readyTail = 0
    runs.free(run)
  }
  sub.readyBytes -= live.bytes[slot]!
  return slot
}

/** Puts an untouched message, delayed or in the middle of a run, ahead of all others, so that it is the next one. */
export const bringForward = (state: PartitionState, sub: Subscription, n: number): void => {
  const { runs } = state
  const holds = (run: number): boolean => runs.first(run) <= n && n < runs.first(run) + runs.count(run)
  let run = sub.readyHead
  let before = 0
  while (run !== 0 && !holds(run)) [before, run] = [run, runs.next(run)]
  if (run === 0) {
    endDelay(state, sub.queue, n)
    for (run = sub.readyHead, before = 0; run !== 0 && !holds(run);) [before, run] = [run, runs.next(run)]
    if (run === 0) throw missing(state, sub.queue, n)
  }
  if (runs.first(run) < n) {
    splitReady(state, sub, run, n - runs.first(run))
    ;[before, run] = [run, runs.next(run)]
  }
  if (runs.count(run) > 1) splitReady(state, sub, run, 1)
  if (before === 0) return
  runs.setNext(before, runs.next(run))
  if (sub.readyTail === run) sub.readyTail = before
  runs.setNext(run, sub.readyHead)
  sub.readyHead = run
}

/** Ends the delay of one message. */
const endDelay = (state: PartitionState, queue: QueueState, n: number): void =>
  distribute(state, isolateDelayed(state, queue, n), undefined)

/** Makes one delayed message a run of its own, which leaves the heap. */
const isolateDelayed = (state: PartitionState, queue: QueueState, n: number): DelayedRun => {
  const { runs, delayedRuns } = state
  const whole = delayedRuns.items.find(
    (d) => d.queue === queue && runs.first(d.run) <= n && n < runs.first(d.run) + runs.count(d.run),
  )
  if (whole === undefined) throw missing(state, queue, n)
  delayedRuns.filter((d) => d !== whole)
  let { run } = whole
  if (runs.first(run) < n) {
    run = runs.split(run, n - runs.first(run))
    delayRun(state, whole)
  }
  if (runs.count(run) > 1) delayRun(state, { ...whole, run: runs.split(run, 1) })
  return { ...whole, run }
}

const splitReady = (state: PartitionState, sub: Subscription, run: number, count: number): void => {
  const rest = state.runs.split(run, count)
  state.runs.setNext(rest, state.runs.next(run))
  state.runs.setNext(run, rest)
  if (sub.readyTail === run) sub.readyTail = rest
}

const missing = (state: PartitionState, queue: QueueState, n: number): KirokuError =>
  new KirokuError(
    'LogDamaged',
    `an event at ${state.frameSeq} names message ${n} of queue ${queue.id}, which is not there`,
  )

/** Discards every message below `upTo`; as purges cover all that was sent, the runs go whole. */
export const purgeQueue = (state: PartitionState, queue: QueueState, upTo: number): void => {
  if (queue.delayed > 0) {
    for (const sub of queue.subs) {
      let waiting = 0
      for (const d of state.delayedRuns.items)
        if (d.queue === queue && state.runs.first(d.run) >= sub.from) waiting += state.runs.count(d.run)
      sub.entered += waiting
      sub.discarded += waiting
    }
    state.delayedRuns.filter((d) => {
      if (d.queue !== queue) return true
      state.runs.free(d.run)
      return false
    })
    queue.delayed = 0
  }
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
      takeOut(live, sub, slot)
      slots.push(slot)
    }
  live.freeAll(slots)
  sub.discarded += slots.length
  if (sub.flow !== undefined) state.dirty.add(sub)
}

/** Forgets a generation with everything that is its own. */
export const dropSubscription = (state: PartitionState, sub: Subscription): void => {
  purgeSubscription(state, sub, Number.POSITIVE_INFINITY)
  state.subscriptions[sub.index] = undefined
  state.dirty.delete(sub)
}

/** Forgets a queue with everything in it. */
export const dropQueue = (state: PartitionState, queue: QueueState): void => {
  purgeQueue(state, queue, Number.POSITIVE_INFINITY)
  state.queues.delete(queue.id)
  state.names.delete(queue.name)
  for (const sub of queue.subs) dropSubscription(state, sub)
}

const freeRuns = (state: PartitionState, sub: Subscription): void => {
  for (let run = sub.readyHead; run !== 0;) {
    const next = state.runs.next(run)
    state.runs.free(run)
    run = next
  }
  sub.readyHead = 0
  sub.readyTail = 0
  sub.ready = 0
  sub.readyBytes = 0
}
