import { isDryRun, type OutboxDescription, type Redrive } from '@kiroku/protocol'
import type { Ownership } from '../ownership/Ownership.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { OutboxLane } from './Outbox.ts'

/** What is on its way from one queue to another. */
const describeLane = (
  state: PartitionState,
  lane: OutboxLane,
  own: Ownership | undefined,
): OutboxDescription => {
  const { source, target } = lane
  const held = own?.held.get(lane)
  return {
    queue: state.queues.get(source)?.name ?? `#${source}`,
    to: state.targetName(lane) ?? `#${target.queue}`,
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

/** What is on its way to other queues, lane by lane; with a redrive only what that moved. */
export const lettersOf = (own: Ownership, redrive?: Redrive): OutboxDescription[] => {
  const { state } = own
  const all: OutboxDescription[] = []
  if (redrive !== undefined && isDryRun(redrive)) return all
  for (const lane of state.outbox.values()) {
    const messages = redrive === undefined ? lane.entries.length : movedBy(redrive, lane)
    if (messages > 0) all.push({ ...describeLane(state, lane, own), messages })
  }
  return all
}

const movedBy = ({ queue, task }: Redrive, { source, entries }: OutboxLane): number => {
  if (source !== queue) return 0
  let count = 0
  for (const entry of entries) if (entry.task === task) count++
  return count
}
