import type { DeadLetterTarget, QueueAddress } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import type { Subscription } from '../state/Subscription.ts'
import { isSameQueue, type OutboxLane } from './Outbox.ts'

/** Name of a lane's target. */
export const targetName = (state: PartitionState, { name, source, target }: OutboxLane): string | undefined =>
  name ?? namers(state.queues.get(source), target)[0]?.deadLetter.name

/** Where a queue and its subscriptions set another queue as their dead-letter queue. */
export const namers = (
  queue: QueueState | undefined,
  target: QueueAddress,
): { readonly deadLetter: DeadLetterTarget; readonly sub?: Subscription }[] => {
  if (queue === undefined) return []
  const found: { readonly deadLetter: DeadLetterTarget; readonly sub?: Subscription }[] = []
  const { deadLetter } = queue.config
  if (deadLetter !== null && isSameQueue(deadLetter, target)) found.push({ deadLetter })
  for (const sub of queue.subs) {
    const own = sub.settings.deadLetter ?? null
    if (own !== null && isSameQueue(own, target)) found.push({ deadLetter: own, sub })
  }
  return found
}
