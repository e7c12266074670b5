import { KirokuError } from '../error/KirokuError.ts'
import type { DeadLetterTarget } from './QueueConfig.ts'

/** What may name a dead-letter queue: a queue, or a subscription. */
interface Naming {
  readonly deadLetter?: DeadLetterTarget | null
}

/**
 * Throws `QueueInUse` when queues name this one as their dead-letter queue.
 * @param queues by their names, with all that each says itself or with its subscriptions
 */
export const refuseNamed = (
  name: string,
  queues: Iterable<readonly [queue: string, said: readonly Naming[]]>,
): void => {
  const namers = new Set<string>()
  for (const [queue, said] of queues)
    if (queue !== name && said.some(({ deadLetter }) => deadLetter?.name === name)) namers.add(queue)
  if (namers.size > 0)
    throw new KirokuError(
      'QueueInUse',
      `queue "${name}" is the dead-letter queue of ${[...namers]
        .sort()
        .map((queue) => `"${queue}"`)
        .join(', ')}`,
    )
}
