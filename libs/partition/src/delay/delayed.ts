import { KirokuError } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import type { DelayedRun } from './DelayedRuns.ts'

/** The delayed run that begins with message `first`, which waits no more. */
export const takeDelayed = (state: PartitionState, queue: QueueState, first: number): DelayedRun => {
  const { delayedRuns } = state
  const top = delayedRuns.peek()
  const found =
    top !== undefined && top.queue === queue && top.first === first ? top : delayedRuns.at(queue, first)
  if (found?.first !== first) throw missing(state, queue, first)
  delayedRuns.remove(found)
  return found
}

/** Makes one delayed message a run of its own, which waits no more. */
export const isolateDelayed = (state: PartitionState, queue: QueueState, n: number): DelayedRun => {
  const { runs, delayedRuns } = state
  const whole = state.findDelayed(queue, n)
  if (whole === undefined) throw missing(state, queue, n)
  delayedRuns.remove(whole)
  let { run } = whole
  if (whole.first < n) {
    run = runs.split(run, n - whole.first)
    delayedRuns.push(whole)
  }
  if (runs.count(run) > 1) delayedRuns.push(whole.like(runs.split(run, 1), n + 1))
  return whole.like(run, n)
}

/** Gives one delayed message another time. */
export const moveDelayed = (state: PartitionState, queue: QueueState, n: number, dueAt: number): void => {
  const before = isolateDelayed(state, queue, n)
  const { run } = before
  state.runs.setDelay(run, dueAt - state.runs.enqueuedAt(run))
  state.delayedRuns.push(before.like(run, n, dueAt))
}

/** Discards one delayed message, for every subscription that it was for. What is like it may be sent again. */
export const recallDelayed = (state: PartitionState, queue: QueueState, n: number): void => {
  const { run } = isolateDelayed(state, queue, n)
  state.dedup.forget(queue, n, state.runs.enqueuedAt(run))
  state.watcher?.counted(queue, state.runs.enqueuedAt(run), -1)
  state.runs.free(run)
  queue.delayed--
  for (const sub of queue.subs) {
    if (sub.from > n) continue
    sub.entered++
    sub.discarded++
  }
}

/** What is thrown for a message that a fact names and that is not there. */
export const missing = (state: PartitionState, queue: QueueState, n: number): KirokuError =>
  new KirokuError(
    'LogDamaged',
    `an event at ${state.frameSeq} names message ${n} of queue ${queue.id}, which is not there`,
  )
