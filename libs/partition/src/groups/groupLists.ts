import { KirokuError, State } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'
import type { LiveSlab } from '../store/LiveSlab.ts'
import type { Group } from './Group.ts'

/** Puts a group in the row of those to be served, if a receive can get something of it. */
export const offer = (state: PartitionState, sub: Subscription, group: Group): void => {
  const { watcher } = state
  const groups = sub.groups!
  if (!groups.isServable(group, state.live)) return
  if (watcher?.awaitsGroups(sub) === true) watcher.groupCanDeliver(sub, group.key)
  if (group.isQueued) return
  if (groups.isRowEmpty) watcher?.becameAvailable(sub)
  groups.queue(group)
  watcher?.look(sub)
}

/** The live message of a slot became available again. */
export const groupLinked = (state: PartitionState, sub: Subscription, slot: number): void => {
  const { live } = state
  const group = sub.groups!.ofSlot(live, slot)
  group.againCount++
  if (!sub.groups!.isOrdered) live.groupLinks.append(group, slot)
  offer(state, sub, group)
}

/** A live message is under no lease any more; those before it may now go out. */
export const groupLeaseEnded = (state: PartitionState, sub: Subscription, slot: number): void => {
  const groups = sub.groups!
  const group = groups.ofSlot(state.live, slot)
  group.inflight--
  // What can go out of a tenant's messages depends on no lease of others.
  if (groups.isOrdered) offer(state, sub, group)
}

/** A live message is no longer available: it goes out, or it is over. */
export const groupUnlinked = (live: LiveSlab, sub: Subscription, slot: number): void => {
  const groups = sub.groups!
  const group = groups.ofSlot(live, slot)
  group.againCount--
  if (!groups.isOrdered) live.groupLinks.remove(group, slot)
}

/** A live message begins to wait for its next try (1), or has waited (-1). */
export const groupWaits = (live: LiveSlab, sub: Subscription, slot: number, by: 1 | -1): void => {
  sub.groups!.ofSlot(live, slot).waiting += by
}

/** A live message is over; the group goes on without it. */
export const groupRetired = (
  state: PartitionState,
  sub: Subscription,
  slot: number,
  wasInflight: boolean,
): void => {
  const groups = sub.groups!
  const group = groups.ofSlot(state.live, slot)
  if (wasInflight) group.inflight--
  if (groups.isOrdered) state.live.groupLinks.remove(group, slot)
  // One under a lease held nothing of a tenant back.
  if (groups.isOrdered || !wasInflight) offer(state, sub, group)
  if (group.isEmpty) groups.forget(group)
}

/** An untouched message became a live one of its group. */
export const groupTouched = (
  { live: { groupLinks } }: PartitionState,
  sub: Subscription,
  group: Group,
  slot: number,
): void => {
  groupLinks.enter(group, slot)
  if (sub.groups!.isOrdered) groupLinks.append(group, slot)
}

/** `count` messages of the group went out, that of this slot last; others may follow at once where groups are not ordered. */
export const groupServed = (state: PartitionState, sub: Subscription, slot: number, count: number): void => {
  const groups = sub.groups!
  const group = groups.ofSlot(state.live, slot)
  group.inflight += count
  groups.unqueue(group)
  offer(state, sub, group)
}

/**
 * Holds a delivery of one message against the order of its group: everything before it must be final, or in the
 * same delivery. Errors: `LogDamaged`.
 */
export const assertInOrder = (
  { live, frameSeq }: PartitionState,
  sub: Subscription,
  slot: number,
  delivery: number,
): void => {
  // What is before the one before was held against this when that one was delivered.
  const before = live.groupLinks.prev(slot + 1) - 1
  if (before < 0) return
  if (live.state[before] !== State.Inflight || live.delivery[before] !== delivery)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${frameSeq} delivers message ${live.number[slot]!} of queue ${sub.queue.id}, but ${live.number[before]!} is before it in group "${sub.groups!.ofSlot(live, slot).key}"`,
    )
}
