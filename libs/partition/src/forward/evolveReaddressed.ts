import { rangeTotal, KirokuError, type LogEventOf, type Ranges } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import { laneKey, laneOf, seenKey, type OutboxEntry, type OutboxLane } from './Outbox.ts'

/**
 * Letters leave the lane to a queue that was deleted for one to another. A lane that this empties is forgotten: new
 * ones begin with a number that it never used.
 */
export const readdressed = (state: PartitionState, e: LogEventOf<'Readdressed'>): void => {
  const { outbox } = state
  const key = laneKey(e.source, e.from)
  const from = outbox.get(key)
  const { moved, kept } = divide(from?.entries ?? [], e.forwards)
  if (from === undefined || moved.length !== rangeTotal(e.forwards))
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} readdresses letters of queue ${e.source} that are not on their way`,
    )
  const to = laneOf(outbox, e.source, e.target, e.name)
  let forward = e.forward
  for (const entry of moved) to.entries.push({ ...entry, forward: forward++, decidedSeq: state.frameSeq })
  to.next = forward
  from.entries = kept
  if (kept.length === 0) forget(state, key, from)
}

/** All lanes of a queue that was deleted are forgotten. */
export const lanesEnded = (state: PartitionState, { source }: LogEventOf<'LanesEnded'>): void => {
  for (const [key, lane] of state.outbox) if (lane.source === source) forget(state, key, lane)
}

/** Forgets lanes, and notes whom to tell. */
export const lanesClosed = (state: PartitionState, { source, targets }: LogEventOf<'LanesClosed'>): void => {
  const queues = new Map<number, number[]>()
  for (let i = 0; i < targets.length; i += 2) {
    const [partition, queue] = [targets[i]!, targets[i + 1]!]
    const key = laneKey(source, { partition, queue })
    const lane = state.outbox.get(key)
    if (lane !== undefined) forget(state, key, lane)
    const others = queues.get(partition)
    if (others === undefined) queues.set(partition, [queue])
    else others.push(queue)
  }
  const first = ++state.firstForward
  for (const [partition, to] of queues)
    state.closedLanes.push({ partition, source, targets: to, first, decidedSeq: state.frameSeq })
}

/** Another partition knows which lanes were closed. */
export const closingTold = (state: PartitionState, e: LogEventOf<'ClosingTold'>): void => {
  state.closedLanes = state.closedLanes.filter(
    ({ partition, first }) => partition !== e.partition || first > e.upTo,
  )
}

/** What is known of lanes that another partition closed. */
export const lanesForgotten = (
  state: PartitionState,
  { partition, lanes, first }: LogEventOf<'LanesForgotten'>,
): void => {
  const { forwardsSeen, firstForwards, queues } = state
  for (let i = 0; i < lanes.length; i += 2) {
    const [source, target] = [lanes[i]!, lanes[i + 1]!]
    const queue = queues.get(target)
    if (forwardsSeen.delete(seenKey({ partition, queue: source }, target)) && queue !== undefined)
      queue.hadForwards = true
  }
  firstForwards.set(partition, Math.max(first, firstForwards.get(partition) ?? 0))
}

const forget = (state: PartitionState, key: string, lane: OutboxLane): void => {
  state.outbox.delete(key)
  state.firstForward = Math.max(state.firstForward, lane.next)
}

/** Both are in the order of the forwards. */
const divide = (
  entries: readonly OutboxEntry[],
  forwards: Ranges,
): { readonly moved: OutboxEntry[]; readonly kept: OutboxEntry[] } => {
  const moved: OutboxEntry[] = []
  const kept: OutboxEntry[] = []
  let i = 0
  for (const entry of entries) {
    while (i < forwards.length && forwards[i]! + forwards[i + 1]! <= entry.forward) i += 2
    if (i < forwards.length && entry.forward >= forwards[i]!) moved.push(entry)
    else kept.push(entry)
  }
  return { moved, kept }
}
