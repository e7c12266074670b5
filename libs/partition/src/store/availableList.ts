import { State } from '@kiroku/protocol'
import {
  groupLeaseEnded,
  groupLinked,
  groupRetired,
  groupUnlinked,
  groupWaits,
} from '../groups/groupLists.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'
import type { LiveSlab } from './LiveSlab.ts'

const none = -1

/** Makes a live message available: it joins the end of its subscription's list, until its retention ends. */
export const link = (state: PartitionState, sub: Subscription, slot: number): void => {
  const live = state.live
  live.state[slot] = State.Available
  live.prev[slot] = sub.tail
  live.next[slot] = none
  if (sub.tail === none) sub.head = slot
  else live.next[sub.tail] = slot
  sub.tail = slot
  if (sub.deliverable === 0) state.watcher?.becameAvailable(sub)
  sub.available++
  sub.availableBytes += live.bytes[slot]!
  live.schedule(slot, live.enqueuedAt[slot]! + sub.config.retentionMs)
  if (sub.groups !== undefined) groupLinked(state, sub, slot)
  state.watcher?.look(sub)
}

/** Takes a message out of the list of available ones. */
export const unlink = (live: LiveSlab, sub: Subscription, slot: number): void => {
  const prev = live.prev[slot]!
  const next = live.next[slot]!
  if (prev === none) sub.head = next
  else live.next[prev] = next
  if (next === none) sub.tail = prev
  else live.prev[next] = prev
  sub.available--
  sub.availableBytes -= live.bytes[slot]!
  if (sub.groups !== undefined) groupUnlinked(live, sub, slot)
}

/** Forgets a message that is final. */
export const retire = (state: PartitionState, sub: Subscription, slot: number): void => {
  takeOut(state, sub, slot)
  state.live.free(slot)
}

/** Takes a message out of its subscription's list and counts; its slot must be freed next. */
export const takeOut = (state: PartitionState, sub: Subscription, slot: number): void => {
  const { live } = state
  const was = live.state[slot]
  switch (was) {
    case State.Available:
      unlink(live, sub, slot)
      break
    case State.Inflight:
      leave(state, sub, slot)
      break
    case State.WaitingRetry:
      waited(state.live, sub, slot)
      break
  }
  if (sub.groups !== undefined) groupRetired(state, sub, slot, was === State.Inflight)
  state.watcher?.counted(sub.queue, live.enqueuedAt[slot]!, -1)
}

/** Counts a message that is in flight no more. */
export const land = (state: PartitionState, sub: Subscription, slot: number): void => {
  leave(state, sub, slot)
  if (sub.groups !== undefined) groupLeaseEnded(state, sub, slot)
}

/** Counts a message that is in flight no more as one that waits for its next try. */
export const waits = (live: LiveSlab, sub: Subscription, slot: number): void => {
  live.state[slot] = State.WaitingRetry
  sub.waitingRetry++
  if (sub.groups !== undefined) groupWaits(live, sub, slot, 1)
}

/** Counts a message that waits for its next try no more. */
export const waited = (live: LiveSlab, sub: Subscription, slot: number): void => {
  sub.waitingRetry--
  if (sub.groups !== undefined) groupWaits(live, sub, slot, -1)
}

const leave = ({ live, watcher }: PartitionState, sub: Subscription, slot: number): void => {
  sub.inflight--
  watcher?.left(sub, live.delivery[slot]!)
}
