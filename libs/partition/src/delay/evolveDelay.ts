import type { LogEventOf } from '@kiroku/protocol'
import { queueOf } from '../eventTargets.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import { distribute } from '../store/readyRuns.ts'
import { moveDelayed, recallDelayed, takeDelayed } from './delayed.ts'

export const delayElapsed = (state: PartitionState, e: LogEventOf<'DelayElapsed'>): void =>
  distribute(state, takeDelayed(state, queueOf(state, e.queue), e.numbers[0]!), e.filteredBy)

export const revised = (
  state: PartitionState,
  e: LogEventOf<'Recalled'> | LogEventOf<'Rescheduled'>,
): void => {
  const queue = queueOf(state, e.queue)
  if (e.type === 'Recalled') recallDelayed(state, queue, e.number)
  else moveDelayed(state, queue, e.number, e.dueAt)
  state.producers.note(e.producer, e.send, e.queue, e.number, 1, state.at)
}
