import { State } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'

/** Messages in flight of every delivery of a subscription; a pass over all live messages. */
export const deliveriesOf = ({ live }: PartitionState, sub: Subscription): Map<number, number> => {
  const deliveries = new Map<number, number>()
  for (let slot = 0; slot < live.top; slot++) {
    if (live.state[slot] !== State.Inflight || live.owner[slot] !== sub.index) continue
    const delivery = live.delivery[slot]!
    deliveries.set(delivery, (deliveries.get(delivery) ?? 0) + 1)
  }
  return deliveries
}
