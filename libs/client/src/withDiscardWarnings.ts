import { discardWarnings, type QueueDescription } from '@kiroku/partition'

/** All queues of a log, with warnings on those that lose what fails. */
export const withDiscardWarnings = (queues: readonly QueueDescription[]): QueueDescription[] => {
  const named = deadLetterQueues(queues)
  return queues.map((queue) =>
    named.has(queue.name) ? queue : { ...queue, warnings: [...queue.warnings, ...discardWarnings(queue)] },
  )
}

/** Names of the dead-letter queues of all these. */
export const deadLetterQueues = (
  queues: readonly Pick<QueueDescription, 'config' | 'subscriptions'>[],
): Set<string> =>
  new Set(
    queues.flatMap(({ config, subscriptions }) =>
      [config, ...subscriptions.map((sub) => sub.config)].flatMap(({ deadLetter }) => deadLetter?.name ?? []),
    ),
  )
