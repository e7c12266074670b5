import { KirokuError } from '@kiroku/message'
import { becameReady } from './evolve.ts'
import type { PartitionState } from './state/PartitionState.ts'
import type { QueueState, Subscription } from './state/QueueState.ts'
import { freeSlot } from './state/LiveSlab.ts'
import { takeOut } from './touched.ts'

/** Stores new messages as a run, or at the end of the last one. */
export const addRun = (
  state: PartitionState,
  queue: QueueState,
  first: number,
  count: number,
  bytes: number,
  enqueuedAt: number,
  delayMs: number,
): void => {
  if (queue.frameSeq !== state.frameSeq) {
    queue.frameSeq = state.frameSeq
    queue.frameCount = 0
  }
  const index = queue.frameCount
  queue.frameCount += count
  queue.nextNumber = first + count
  const runs = state.runs
  const tail = queue.readyTail
  if (delayMs > 0) {
    const run = runs.alloc(first, count, state.frameSeq, index, enqueuedAt, delayMs, bytes)
    state.delayedRuns.push({ queue, run, dueAt: enqueuedAt + delayMs })
    queue.delayed += count
    return
  }
  if (
    tail !== 0 &&
    runs.delayMs(tail) === 0 &&
    runs.joins(tail, first, count, state.frameSeq, index, enqueuedAt, bytes)
  )
    runs.grow(tail, count, bytes)
  else {
    const run = runs.alloc(first, count, state.frameSeq, index, enqueuedAt, 0, bytes)
    if (tail === 0) queue.readyHead = run
    else runs.setNext(tail, run)
    queue.readyTail = run
  }
  becameReady(state, queue, count, bytes, enqueuedAt)
}

/** Makes the next untouched message, which must be number `n`, a live one; its state is the caller's to set. */
export const takeFromRuns = (state: PartitionState, sub: Subscription, n: number): number => {
  const queue = sub.queue
  const runs = state.runs
  const run = queue.readyHead
  if (run === 0 || runs.first(run) !== n)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} takes message ${n} of queue ${queue.id}, which is not next`,
    )
  const live = state.live
  const slot = live.alloc(sub.index, n)
  live.seq[slot] = runs.seq(run)
  live.index[slot] = runs.index(run)
  live.enqueuedAt[slot] = runs.enqueuedAt(run)
  live.attempt[slot] = 0
  queue.ready--
  if (runs.count(run) > 1) live.bytes[slot] = runs.shrink(run, 1)
  else {
    live.bytes[slot] = runs.bytes(run)
    queue.readyHead = runs.next(run)
    if (queue.readyHead === 0) queue.readyTail = 0
    runs.free(run)
  }
  queue.readyBytes -= live.bytes[slot]!
  return slot
}

/** Puts an untouched message, delayed or in the middle of a run, ahead of all others, so that it is the next one. */
export const bringForward = (state: PartitionState, queue: QueueState, n: number): void => {
  const runs = state.runs
  const contains = (run: number): boolean => runs.first(run) <= n && n < runs.first(run) + runs.count(run)
  let run = queue.readyHead
  let before = 0
  while (run !== 0 && !contains(run)) [before, run] = [run, runs.next(run)]
  if (run !== 0) {
    if (runs.first(run) < n) {
      splitReady(state, queue, run, n - runs.first(run))
      ;[before, run] = [run, runs.next(run)]
    }
    if (runs.count(run) > 1) splitReady(state, queue, run, 1)
    if (before === 0) return
    runs.setNext(before, runs.next(run))
    if (queue.readyTail === run) queue.readyTail = before
  } else {
    run = state.delayedRuns.items.find((d) => d.queue === queue && contains(d.run))?.run ?? 0
    if (run === 0)
      throw new KirokuError(
        'LogDamaged',
        `an event at ${state.frameSeq} names message ${n} of queue ${queue.id}, which is not there`,
      )
    const whole = run
    state.delayedRuns.filter((d) => d.run !== whole)
    const delay = (part: number): void =>
      state.delayedRuns.push({ queue, run: part, dueAt: runs.dueAt(part) })
    if (runs.first(run) < n) {
      run = runs.split(whole, n - runs.first(whole))
      delay(whole)
    }
    if (runs.count(run) > 1) delay(runs.split(run, 1))
    queue.delayed--
    queue.ready++
    queue.readyBytes += runs.bytes(run)
    if (queue.readyTail === 0) queue.readyTail = run
  }
  runs.setNext(run, queue.readyHead)
  queue.readyHead = run
}

const splitReady = (state: PartitionState, queue: QueueState, run: number, count: number): void => {
  const rest = state.runs.split(run, count)
  state.runs.setNext(rest, state.runs.next(run))
  state.runs.setNext(run, rest)
  if (queue.readyTail === run) queue.readyTail = rest
}

/** Discards every message below `upTo`; as purges cover all that was sent, the runs go whole. */
export const purgeQueue = (state: PartitionState, queue: QueueState, upTo: number): void => {
  let gone = queue.ready + queue.delayed
  freeRuns(state, queue)
  const live = state.live
  const slots: number[] = []
  for (let slot = 0; slot < live.top; slot++)
    if (live.state[slot] !== freeSlot && live.owner[slot] === queue.main.index && live.number[slot]! < upTo) {
      takeOut(live, queue.main, slot)
      slots.push(slot)
    }
  live.freeAll(slots)
  gone += slots.length
  queue.main.discarded += gone
}

/** Forgets a queue with everything in it. */
export const dropQueue = (state: PartitionState, queue: QueueState): void => {
  purgeQueue(state, queue, Number.POSITIVE_INFINITY)
  state.queues.delete(queue.id)
  state.names.delete(queue.name)
  state.subscriptions[queue.main.index] = undefined
  state.dirty.delete(queue.main)
}

const freeRuns = (state: PartitionState, queue: QueueState): void => {
  for (let run = queue.readyHead; run !== 0;) {
    const next = state.runs.next(run)
    state.runs.free(run)
    run = next
  }
  queue.readyHead = 0
  queue.readyTail = 0
  queue.ready = 0
  queue.readyBytes = 0
  if (queue.delayed > 0)
    state.delayedRuns.filter((d) => {
      if (d.queue !== queue) return true
      state.runs.free(d.run)
      return false
    })
  queue.delayed = 0
}
