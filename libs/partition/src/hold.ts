import type { LogEventOf } from '@kiroku/message'
import type { PartitionState } from './state/PartitionState.ts'
import type { Subscription } from './state/Subscription.ts'

/** A pause in the deliveries of a subscription, because a consumer was told to wait. Times are ms of partition time. */
export interface Hold {
  readonly since: number
  readonly until: number
  /** Why, as the consumer says; empty: it did not. */
  readonly error: string
}

/** Of two holds the one that ends last. */
export const laterHold = (a: Hold | undefined, b: Hold | undefined): Hold | undefined =>
  (b?.until ?? 0) > (a?.until ?? 0) ? b : a

/** Holds the deliveries of a subscription. The decider has checked that this shortens no hold. */
export const deliveryHeld = (
  state: PartitionState,
  sub: Subscription,
  { until, error }: LogEventOf<'DeliveryHeld'>,
): void => {
  sub.hold = { since: state.at, until, error }
  state.holds.add(sub)
}

/** Ends the hold of a subscription ahead of its time. */
export const endHold = (state: PartitionState, sub: Subscription): void => {
  sub.hold = undefined
  state.holds.delete(sub)
}

/** When the first hold ends; infinity: none. */
export const holdEndsAt = ({ holds }: PartitionState): number => {
  let at = Number.POSITIVE_INFINITY
  for (const { hold } of holds) at = Math.min(at, hold!.until)
  return at
}

/** Resumes the subscriptions whose hold has expired. The recorded hold stays. */
export const fireHolds = ({ holds, dirty }: PartitionState, now: number): void => {
  for (const sub of holds) {
    if (sub.hold!.until > now) continue
    holds.delete(sub)
    dirty.add(sub)
  }
}

/** Moves holds that began while clocks disagreed by the step of partition time. */
export const moveHolds = ({ subscriptions }: PartitionState, from: number, byMs: number): void => {
  for (const sub of subscriptions)
    if (sub?.hold !== undefined && sub.hold.since >= from)
      sub.hold = { ...sub.hold, since: sub.hold.since + byMs, until: sub.hold.until + byMs }
}
