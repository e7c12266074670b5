import { KirokuError, type Ranges } from '@kiroku/protocol'
import type { PartitionState } from './state/PartitionState.ts'
import type { QueueState, Subscription } from './state/QueueState.ts'

export const queueOf = (state: PartitionState, id: number): QueueState => {
  const queue = state.queues.get(id)
  if (queue === undefined)
    throw new KirokuError('LogDamaged', `an event at ${state.frameSeq} names queue ${id}, which is not there`)
  return queue
}

export const subOf = (state: PartitionState, queue: number, sub: number): Subscription => {
  const found = state.subscriptionOf(queue, sub)
  if (found === undefined)
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} names subscription ${queue}/${sub}, which is not there`,
    )
  return found
}

/** Calls `each` with the slot of every message in `numbers`; all must be live. */
export const eachSlot = (
  state: PartitionState,
  sub: Subscription,
  numbers: Ranges,
  each: (slot: number) => void,
): void => {
  for (let i = 0; i < numbers.length; i += 2) {
    const first = numbers[i]!
    for (let n = first, end = first + numbers[i + 1]!; n < end; n++) {
      const slot = state.live.find(sub.index, n)
      if (slot < 0)
        throw new KirokuError(
          'LogDamaged',
          `an event at ${state.frameSeq} names message ${n} of queue ${sub.queue.id}, which is not live`,
        )
      each(slot)
    }
  }
}
