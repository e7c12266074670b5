import { State, type LogEventOf } from '@kiroku/protocol'
import { moveHolds } from '../settle/hold.ts'
import type { PartitionState } from '../state/PartitionState.ts'

/** Partition time goes on: what was not counted before it is added to whatever it must not age. */
export const clockResumed = (state: PartitionState, e: LogEventOf<'ClockResumed'>): void => {
  const { dispute } = state
  if (e.now > state.at) state.at = e.now
  const { live } = state
  for (let slot = 0; slot < live.top; slot++)
    if (live.state[slot] === State.Inflight) live.deadline[slot] = live.deadline[slot]! + e.gapMs
  if (dispute !== undefined && e.gapMs > 0) moveSince(state, dispute, e.gapMs)
  live.reorder()
  state.watcher?.clockResumed()
  if (e.dispute === undefined) state.dispute = undefined
  else state.dispute ??= { since: e.now, delivery: state.nextDelivery }
}

/**
 * What came while clocks disagreed was counted from a time that was too early: it moves with the step that the time
 * takes now. What is older was there all the while, and ages by the step. Leases moved already.
 */
const moveSince = (
  state: PartitionState,
  { since, delivery }: NonNullable<PartitionState['dispute']>,
  byMs: number,
): void => {
  const { live, runs } = state
  for (let slot = 0; slot < live.top; slot++) {
    const isYoung = live.enqueuedAt[slot]! >= since
    if (isYoung) live.enqueuedAt[slot] = live.enqueuedAt[slot]! + byMs
    // Available until its retention ends, which counts from when it came; waiting since a delivery that came meanwhile.
    const isMoved = live.state[slot] === State.Available ? isYoung : live.delivery[slot]! >= delivery
    if (live.state[slot] !== State.Inflight && isMoved) live.deadline[slot] = live.deadline[slot]! + byMs
    if (live.delivery[slot]! >= delivery && live.leaseCap[slot]! > 0)
      live.leaseCap[slot] = live.leaseCap[slot]! + byMs
  }
  for (let run = 1; run <= runs.size; run++)
    if (runs.count(run) > 0 && runs.enqueuedAt(run) >= since)
      runs.setEnqueuedAt(run, runs.enqueuedAt(run) + byMs)
  state.delayedRuns.reorder(({ run }) => runs.dueAt(run))
  for (const lane of state.outbox.values())
    lane.entries = lane.entries.map((entry) =>
      entry.enqueuedAt < since ? entry : { ...entry, enqueuedAt: entry.enqueuedAt + byMs },
    )
  state.producers.move(since, byMs)
  state.attempts.move(since, byMs)
  state.dedup.move(since, byMs)
  moveHolds(state, since, byMs)
}
