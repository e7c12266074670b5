import { discardWarnings, retentionWarnings, type QueueDescription } from '@kiroku/protocol'

type Judged = Pick<QueueDescription, 'name' | 'config' | 'subscriptions'>

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
  return (queue) => [
    ...(named.has(queue.name) ? [] : discardWarnings(queue)),
    ...retentionWarnings(queue, (name) => configs.get(name)),
  ]
}
