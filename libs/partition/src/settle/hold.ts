import type { LogEventOf } from '@kiroku/protocol'
import { subOf } from '../eventTargets.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'

/** Holds the deliveries of a subscription. The decider has checked that this shortens no hold. */
export const deliveryHeld = (state: PartitionState, e: LogEventOf<'DeliveryHeld'>): void => {
  const { until, error } = e
  const sub = subOf(state, e.queue, e.sub)
  sub.hold = { since: state.at, until, error }
  state.holds.add(sub)
}

/** Ends the hold of a subscription ahead of its time. */
export const endHold = (state: PartitionState, sub: Subscription): void => {
  sub.hold = undefined
  state.holds.delete(sub)
}

/** Moves holds that began while clocks disagreed by the step of partition time. */
export const moveHolds = ({ subscriptions }: PartitionState, from: number, byMs: number): void => {
  for (const sub of subscriptions)
    if (sub?.hold !== undefined && sub.hold.since >= from)
      sub.hold = { ...sub.hold, since: sub.hold.since + byMs, until: sub.hold.until + byMs }
}
