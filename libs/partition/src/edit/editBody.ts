import { State, type LogEventOf } from '@kiroku/protocol'
import { missing } from '../delay/delayed.ts'
import { queueOf } from '../eventTargets.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { placeOf, splitReady } from '../store/takeRuns.ts'

/** Where the body of a message lies: a frame, and the place among the queue's bodies there. */
export interface BodyAt {
  readonly seq: number
  readonly index: number
}

/** Where the body of a message lies that can be edited now, or why it cannot. */
export const editable = (state: PartitionState, queue: QueueState, n: number): BodyAt | string => {
  let found: BodyAt | undefined
  for (const sub of queue.subs) {
    const slot = state.live.find(sub.index, n)
    if (slot >= 0 && state.live.state[slot] === State.Inflight)
      return `message ${n} is in flight in queue "${queue.name}"`
    found ??= bodyOf(state, sub, n, slot)
  }
  if (found !== undefined) return found
  return state.findDelayed(queue, n) === undefined
    ? `message ${n} is not in queue "${queue.name}" any more`
    : `message ${n} of queue "${queue.name}" still waits for its time`
}

const bodyOf = (
  state: PartitionState,
  sub: Subscription,
  n: number,
  slot: number,
): (BodyAt & { readonly bytes: number }) | undefined => {
  const { live, runs } = state
  if (slot >= 0) return { seq: live.seq[slot]!, index: live.index[slot]!, bytes: live.bytes[slot]! }
  const run = placeOf(state, sub, n)?.run
  if (run === undefined) return undefined
  const bytes = Math.round(runs.bytes(run) / runs.count(run))
  return { seq: runs.seq(run), index: runs.index(run) + n - runs.first(run), bytes }
}

/** A message has another body, which is the next of the queue's bodies in this frame. */
export const bodyEdited = (state: PartitionState, e: LogEventOf<'BodyEdited'>): void => {
  const queue = queueOf(state, e.queue)
  if (queue.frameSeq !== state.frameSeq) {
    queue.frameSeq = state.frameSeq
    queue.frameCount = 0
  }
  const at = { seq: state.frameSeq, index: queue.frameCount++, bytes: e.bytes }
  let anyHas = false
  for (const sub of queue.subs) anyHas = moveBody(state, sub, e.number, at) || anyHas
  if (!anyHas) throw missing(state, queue, e.number)
  queue.editedSeq = state.frameSeq
}

/**
 * What is restored from the past has the bodies that were sent; where another subscription has a message with the
 * body that was edited, that holds for all.
 */
export const adoptEdited = (state: PartitionState, sub: Subscription, first: number, count: number): void => {
  if (sub.queue.editedSeq === 0) return
  for (let n = first; n < first + count; n++)
    for (const other of sub.queue.subs) {
      if (other === sub) continue
      const at = bodyOf(state, other, n, state.live.find(other.index, n))
      if (at === undefined) continue
      moveBody(state, sub, n, at)
      break
    }
}

/** Says where the body of a message lies, if the subscription has that. */
const moveBody = (
  state: PartitionState,
  sub: Subscription,
  n: number,
  { seq, index, bytes }: BodyAt & { readonly bytes: number },
): boolean => {
  const { live, runs } = state
  const slot = live.find(sub.index, n)
  if (slot >= 0) {
    if (live.state[slot] === State.Available) sub.availableBytes += bytes - live.bytes[slot]!
    live.seq[slot] = seq
    live.index[slot] = index
    live.bytes[slot] = bytes
    return true
  }
  const place = placeOf(state, sub, n)
  if (place === undefined) return false
  const { list } = place
  let { run } = place
  if (runs.first(run) < n) {
    splitReady(state, list, run, n - runs.first(run))
    run = runs.next(run)
  }
  if (runs.count(run) > 1) splitReady(state, list, run, 1)
  sub.readyBytes += bytes - runs.bytes(run)
  runs.move(run, seq, index)
  runs.setBytes(run, bytes)
  return true
}
