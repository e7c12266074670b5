import { rangeTotal, type LogEventOf, type Ranges } from '@kiroku/protocol'
import { takeErased } from '../erasure/erased.ts'
import { eachSlot, subOf } from '../eventTargets.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'
import { land, link, retire, waited, waits } from '../store/availableList.ts'
import { bringForward, takeFromRuns } from '../store/takeRuns.ts'

export const finished = (
  state: PartitionState,
  e: { queue: number; sub: number; numbers: Ranges },
  counter: 'committed' | 'deadLettered' | 'discarded',
): void => {
  const sub = subOf(state, e.queue, e.sub)
  eachSlot(state, sub, e.numbers, (slot) => retire(state, sub, slot))
  sub[counter] += rangeTotal(e.numbers)
  makeRoom(state, sub)
}

/** Those who wait for room are looked at again. */
const makeRoom = (state: PartitionState, sub: Subscription): void => {
  if (sub.isLimited) state.watcher?.look(sub)
}

export const paused = (
  state: PartitionState,
  e: LogEventOf<'RetryScheduled'> | LogEventOf<'LeaseExpired'> | LogEventOf<'Deferred'>,
): void => {
  const sub = subOf(state, e.queue, e.sub)
  const live = state.live
  eachSlot(state, sub, e.numbers, (slot) => {
    land(state, sub, slot)
    if (e.type === 'Deferred') live.attempt[slot] = live.attempt[slot]! - 1
    if (e.dueAt === 0) link(state, sub, slot)
    else {
      waits(live, sub, slot)
      live.schedule(slot, e.dueAt)
    }
  })
  makeRoom(state, sub)
}

export const returned = (state: PartitionState, e: LogEventOf<'RetryDue'> | LogEventOf<'Released'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  const live = state.live
  eachSlot(state, sub, e.numbers, (slot) => {
    if (e.type === 'Released') {
      land(state, sub, slot)
      live.attempt[slot] = live.attempt[slot]! - 1
    } else waited(live, sub, slot)
    link(state, sub, slot)
  })
}

export const extended = (state: PartitionState, e: LogEventOf<'LeaseExtended'>): void =>
  eachSlot(state, subOf(state, e.queue, e.sub), e.numbers, (slot) => state.live.schedule(slot, e.leaseUntil))

export const discarded = (state: PartitionState, e: LogEventOf<'Discarded'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  if (e.reason === 'erased') {
    takeErased(state, sub, e.numbers)
    return makeRoom(state, sub)
  }
  const { live } = state
  // Retention and operators also end untouched messages, which have no slot: they become one on their way out.
  if (e.cause === 'retention' || e.cause === 'operator')
    for (let i = 0; i < e.numbers.length; i += 2)
      for (let n = e.numbers[i]!, end = n + e.numbers[i + 1]!; n < end; n++) {
        if (live.find(sub.index, n) >= 0) continue
        if (e.cause === 'operator') bringForward(state, sub, n)
        takeFromRuns(state, sub, n, 1, (slot) => waits(live, sub, slot))
      }
  finished(state, e, 'discarded')
}
