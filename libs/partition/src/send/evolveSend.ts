import type { LogEventOf } from '@kiroku/protocol'
import { queueOf } from '../eventTargets.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import { addArrival } from '../store/readyRuns.ts'

export const enqueued = (state: PartitionState, e: LogEventOf<'Enqueued'>): void => {
  const queue = queueOf(state, e.queue)
  addArrival(state, queue, e, state.at, e.dueAt === 0 ? 0 : e.dueAt - state.at)
  state.producers.note(e.producer, e.send, e.queue, e.first, e.count, state.at)
  if (e.keys !== undefined) state.dedup.add(queue, e.keys, e.first, state.at)
}
