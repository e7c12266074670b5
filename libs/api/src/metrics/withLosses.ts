import { judgeLosses } from '@kiroku/client'
import { type QueueDescription, retentionWarnings } from '@kiroku/protocol'

/**
 * Queues with the warnings that they lose failed messages. That a queue has no dead-letter queue, and needs none since
 * it is one, only all queues of a log can tell.
 *
 * @param areAll whether these are all
 */
export const withLosses = (queues: readonly QueueDescription[], areAll: boolean): QueueDescription[] => {
  const configs = new Map(queues.map(({ name, config }) => [name, config]))
  const judge = areAll
    ? judgeLosses(queues)
    : (queue: QueueDescription) => retentionWarnings(queue, (name) => configs.get(name))
  return queues.map((queue) => ({ ...queue, warnings: [...queue.warnings, ...judge(queue)] }))
}
