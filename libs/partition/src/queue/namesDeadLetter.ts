import type { DeadLetterTarget } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'

/** What a queue and its subscriptions set as their dead-letter queues. */
const targetsOf = ({ config, subs }: QueueState): readonly (DeadLetterTarget | null | undefined)[] => [
  config.deadLetter,
  ...subs.map(({ settings }) => settings.deadLetter),
]

/** Whether a queue, or a subscription of it, names this one as its dead-letter queue. */
export const namesDeadLetter = (queue: QueueState, name: string): boolean =>
  targetsOf(queue).some((target) => target?.name === name)

/** The names of all dead-letter queues of the queues here. */
export const deadLetterQueues = ({ queues }: PartitionState): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const queue of queues.values())
    for (const target of targetsOf(queue)) if (target !== null && target !== undefined) names.add(target.name)
  return names
}
