import { rangeTotal, intersectRanges, rangeFrom, type Ranges, type Redrive, State } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'
import { availableNumbers } from '../store/available.ts'

/**
 * The messages that a redrive has to look at, from its beginning or a take-over on. Of those that were selected it
 * counts what it cannot look at, by the reason.
 */
export const redriveNumbers = (state: PartitionState, sub: Subscription, redrive: Redrive): Ranges => {
  const available = availableNumbers(state, sub, redrive.upTo)
  redrive.skipped = {}
  redrive.filtered = 0
  const { selection } = redrive
  if (selection === undefined) return available
  const numbers = intersectRanges(available, selection)
  const leased = liveAmong(state, sub, State.Inflight, selection)
  const waiting =
    liveAmong(state, sub, State.WaitingRetry, selection) + delayedAmong(state, sub.queue.id, selection)
  const gone = rangeTotal(selection) - rangeTotal(numbers) - leased - waiting - redrive.moved
  if (leased > 0) redrive.skipped.leased = leased
  if (waiting > 0) redrive.skipped.waiting = waiting
  if (gone > 0) redrive.skipped.gone = gone
  return numbers
}

const liveAmong = (
  { live }: PartitionState,
  sub: Subscription,
  standing: State,
  selection: Ranges,
): number => {
  let count = 0
  for (let slot = 0; slot < live.top; slot++)
    if (live.owner[slot] === sub.index && live.state[slot] === standing) {
      const n = live.number[slot]!
      const r = rangeFrom(selection, n)
      if (r < selection.length && selection[r]! <= n) count++
    }
  return count
}

const delayedAmong = ({ delayedRuns, runs }: PartitionState, queue: number, selection: Ranges): number => {
  let count = 0
  for (const { queue: of, run } of delayedRuns.items)
    if (of.id === queue) count += rangeTotal(intersectRanges(selection, [runs.first(run), runs.count(run)]))
  return count
}
