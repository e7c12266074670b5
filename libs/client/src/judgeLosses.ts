import { discardWarnings, type QueueDescription, type Retention, retentionWarnings } from '@kiroku/protocol'

export type Judged = Pick<QueueDescription, 'name' | 'config' | 'subscriptions'>

/** Warnings about a queue that loses failed messages, at once or too early. */
export type LossJudge = (queue: Judged) => string[]

/** Judges queues by all queues of their log: a dead-letter queue needs none of its own. */
export const judgeLosses = (queues: readonly Judged[]): LossJudge => {
  const named = new Set(
    queues.flatMap(({ config, subscriptions }) =>
      [config, ...subscriptions.map((sub) => sub.config)].flatMap(({ deadLetter }) => deadLetter?.name ?? []),
    ),
  )
  const configs = new Map(queues.map(({ name, config }) => [name, config]))
  return (queue) => lossesOf(queue, named.has(queue.name), (name) => configs.get(name))
}

/**
 * Judges one queue.
 * @param isDeadLetterQueue of another queue, so that it needs none of its own
 * @param retentionOf settings of a dead-letter queue by its name; undefined where they are not known
 */
export const lossesOf = (
  queue: Judged,
  isDeadLetterQueue: boolean,
  retentionOf: (deadLetterQueue: string) => Retention | undefined,
): string[] => [
  ...(isDeadLetterQueue ? [] : discardWarnings(queue)),
  ...retentionWarnings(queue, retentionOf),
]
