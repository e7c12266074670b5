import { rangeTotal, type LogEventOf, State } from '@kiroku/protocol'
import { subOf } from '../eventTargets.ts'
import { assertInOrder, groupServed } from '../groups/groupLists.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import { unlink } from '../store/availableList.ts'
import { takeFromRuns } from '../store/takeRuns.ts'

export const delivered = (state: PartitionState, e: LogEventOf<'Delivered'>): void => {
  const sub = subOf(state, e.queue, e.sub)
  const live = state.live
  const simple = e.mode === 'simple' ? 1 : 0
  const isOrdered = sub.groups?.isOrdered === true
  let last = -1
  const goOut = (slot: number): void => {
    live.state[slot] = State.Inflight
    if (live.attempt[slot] === 0) live.firstAt[slot] = state.at
    live.attempt[slot] = live.attempt[slot]! + 1
    live.attemptsMax[slot] = e.attemptsMax
    live.delivery[slot] = e.delivery
    if (isOrdered) assertInOrder(state, sub, slot, e.delivery)
    live.leaseCap[slot] = e.leaseCap
    live.simple[slot] = simple
    live.schedule(slot, e.leaseUntil)
    last = slot
  }
  for (let i = 0; i < e.numbers.length; i += 2) {
    let n = e.numbers[i]!
    let left = e.numbers[i + 1]!
    while (left > 0) {
      const slot = sub.available > 0 ? live.find(sub.index, n) : -1
      let gone = 1
      if (slot >= 0) {
        unlink(live, sub, slot)
        sub.redelivered++
        goOut(slot)
      } else gone = takeFromRuns(state, sub, n, left, goOut)
      if (sub.groups !== undefined) groupServed(state, sub, last, gone)
      n += gone
      left -= gone
    }
  }
  const count = rangeTotal(e.numbers)
  sub.inflight += count
  if (sub.isLimited) state.watcher?.entered(sub, e.delivery, count)
  if (e.delivery >= state.nextDelivery) state.nextDelivery = e.delivery + 1
  if (e.attempt !== undefined) {
    const { attempt, delivery, numbers } = e
    state.attempts.note({ sub, attempt, delivery, at: state.at, numbers }, live)
  }
}
