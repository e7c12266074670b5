import { KirokuError, State } from '@kiroku/message'
import type { Group } from './state/Groups.ts'
import type { PartitionState } from './state/PartitionState.ts'
import type { Subscription } from './state/Subscription.ts'

/** Puts a group in the row of those to be served, if a receive can get something of it. */
export const offer = (state: PartitionState, sub: Subscription, group: Group): void => {
  const groups = sub.groups!
  if (group.isQueued || !groups.isServable(group, state.live, sub.index)) return
  if (groups.rowHead === groups.row.length) sub.availableSince = state.at
  groups.queue(group)
  state.dirty.add(sub)
}

/** The live message of a slot became available again. */
export const groupLinked = (state: PartitionState, sub: Subscription, slot: number): void => {
  const n = state.live.number[slot]!
  const group = sub.groups!.ofLive.get(n)!
  if (!sub.groups!.isOrdered) group.touched.push(n)
  offer(state, sub, group)
}

/** A live message is under no lease any more; those before it may now go out. */
export const groupLeaseEnded = (state: PartitionState, sub: Subscription, n: number): void => {
  const group = sub.groups!.ofLive.get(n)!
  group.inflight--
  offer(state, sub, group)
}

/** A live message is no longer available: it goes out, or it is over. */
export const groupUnlinked = (sub: Subscription, n: number): void => {
  const groups = sub.groups!
  if (!groups.isOrdered) drop(groups.ofLive.get(n)!.touched, n)
}

/** A live message is over; the group goes on without it. */
export const groupRetired = (state: PartitionState, sub: Subscription, slot: number): void => {
  const groups = sub.groups!
  const n = state.live.number[slot]!
  const group = groups.ofLive.get(n)!
  groups.ofLive.delete(n)
  group.live--
  if (groups.isOrdered) drop(group.touched, n)
  offer(state, sub, group)
  groups.forget(group)
}

/** An untouched message became a live one of its group. */
export const groupTouched = (sub: Subscription, group: Group, n: number): void => {
  sub.groups!.ofLive.set(n, group)
  group.live++
  if (sub.groups!.isOrdered) group.touched.push(n)
}

/** A message of the group goes out; another one may follow at once where groups are not ordered. */
export const groupDelivered = (
  state: PartitionState,
  sub: Subscription,
  n: number,
  delivery: number,
): void => {
  const groups = sub.groups!
  const group = groups.ofLive.get(n)!
  if (groups.isOrdered) assertInOrder(state, sub, group, n, delivery)
  group.inflight++
  group.isQueued = false
  offer(state, sub, group)
}

/**
 * Holds a delivery of one message against the order of its group: everything before it must be final, or in the
 * same delivery. Errors: `LogDamaged`.
 */
const assertInOrder = (
  { live, frameSeq }: PartitionState,
  sub: Subscription,
  { touched, key }: Group,
  n: number,
  delivery: number,
): void => {
  // What is before the one before was held against this when that one was delivered.
  const before = touched[touched.lastIndexOf(n) - 1]
  if (before === undefined) return
  const slot = live.find(sub.index, before)
  if (live.state[slot] !== State.Inflight || live.delivery[slot] !== delivery)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${frameSeq} delivers message ${n} of queue ${sub.queue.id}, but ${before} is before it in group "${key}"`,
    )
}

const drop = (numbers: number[], n: number): void => {
  const at = numbers.indexOf(n)
  if (at >= 0) numbers.splice(at, 1)
}
