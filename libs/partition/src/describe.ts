import type { QueueDescription } from './Command.ts'
import { freeSlot } from './state/LiveSlab.ts'
import type { PartitionState } from './state/PartitionState.ts'
import type { QueueState } from './state/QueueState.ts'

/** Describes queues at partition time `now`, with one pass over the live messages however many queues are asked for. */
export const describeQueues = (
  state: PartitionState,
  queues: Iterable<QueueState>,
  now: number,
): QueueDescription[] => {
  const oldest = oldestOf(state)
  const descriptions: QueueDescription[] = []
  for (const q of queues) {
    const m = q.main
    const since = oldest.get(q) ?? now
    descriptions.push({
      name: q.name,
      partition: state.partition,
      queue: q.id,
      config: q.config,
      deliveryPaused: q.deliveryPaused,
      counts: {
        delayed: q.delayed,
        available: q.ready + m.available,
        inflight: m.inflight,
        waitingRetry: m.waitingRetry,
        sent: q.sent,
        committed: m.committed,
        deadLettered: m.deadLettered,
        discarded: m.discarded,
        redelivered: m.redelivered,
      },
      oldestAgeMs: Math.max(0, now - since),
      waitingPolls: m.polls.reduce((n, p) => (p.done ? n : n + 1), 0),
    })
  }
  return descriptions
}

const oldestOf = (state: PartitionState): Map<QueueState, number> => {
  const oldest = new Map<QueueState, number>()
  const see = (queue: QueueState, at: number): void => {
    const before = oldest.get(queue)
    if (before === undefined || at < before) oldest.set(queue, at)
  }
  const { live, runs } = state
  for (let slot = 0; slot < live.top; slot++)
    if (live.state[slot] !== freeSlot)
      see(state.subscriptions[live.owner[slot]!]!.queue, live.enqueuedAt[slot]!)
  for (const q of state.queues.values()) if (q.readyHead !== 0) see(q, runs.enqueuedAt(q.readyHead))
  for (const d of state.delayedRuns.items) see(d.queue, runs.enqueuedAt(d.run))
  return oldest
}
