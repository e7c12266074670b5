import { KirokuError } from '../error/KirokuError.ts'

/**
 * Throws `QueueInUse` when other queues name this one as their dead-letter queue.
 * @param namers names of queues that do so, themselves or with a subscription
 */
export const refuseNamed = (name: string, namers: Iterable<string>): void => {
  const others = new Set(namers)
  others.delete(name)
  if (others.size === 0) return
  const listed = [...others].sort().map((queue) => `"${queue}"`)
  throw new KirokuError('QueueInUse', `queue "${name}" is the dead-letter queue of ${listed.join(', ')}`)
}
