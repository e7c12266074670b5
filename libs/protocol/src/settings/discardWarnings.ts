import type { QueueDescription } from '../observe/QueueDescription.ts'

const warning =
  'A message that fails its last attempt is discarded, because there is no dead-letter queue: name one as deadLetter, on the command line with --dead-letter.'

/**
 * Warnings where what fails is lost, one sentence each. A queue that deletes itself when idle is meant to lose
 * messages. For a queue that is no dead-letter queue itself, which only those know who see all partitions.
 */
export const discardWarnings = ({
  config,
  subscriptions,
}: Pick<QueueDescription, 'config' | 'subscriptions'>): string[] => {
  if (config.idleMs > 0) return []
  const without = subscriptions.filter(
    ({ config: own }) => own.deadLetter === null && own.retriesMax !== 'unlimited',
  )
  return without.length === subscriptions.length
    ? [warning]
    : without.map(({ name }) => `Subscription ${name}: ${warning}`)
}
