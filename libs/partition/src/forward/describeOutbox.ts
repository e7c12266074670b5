import type { OutboxDescription } from '@kiroku/protocol'
import type { Ownership } from '../ownership/Ownership.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { OutboxLane } from './Outbox.ts'
import { targetName } from './targetName.ts'

/** What is on its way from one queue to another. */
export const describeLane = (
  state: PartitionState,
  lane: OutboxLane,
  own: Ownership | undefined,
): OutboxDescription => {
  const { source, target } = lane
  const held = own?.held.get(lane)
  return {
    queue: state.queues.get(source)?.name ?? `#${source}`,
    to: targetName(state, lane) ?? `#${target.queue}`,
    messages: lane.entries.length,
    ...(held === undefined ? {} : { held }),
  }
}

/** What is on its way to other queues, by the id of the queue that it comes from. */
export const describeOutbox = (state: PartitionState, own?: Ownership): Map<number, OutboxDescription[]> => {
  const all = new Map<number, OutboxDescription[]>()
  for (const lane of state.outbox.values()) {
    if (lane.entries.length === 0) continue
    const others = all.get(lane.source)
    if (others === undefined) all.set(lane.source, [describeLane(state, lane, own)])
    else others.push(describeLane(state, lane, own))
  }
  return all
}
