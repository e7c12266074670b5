import { isReplyQueue, type QueueDescription, sumCounts } from '@kiroku/protocol'

/** A queue in the metrics; several folded into one have no partition. */
export type MeasuredQueue = Pick<
  QueueDescription,
  'name' | 'counts' | 'subscriptions' | 'warnings' | 'oldestAgeMs' | 'waitingPolls' | 'deliveryPaused'
> &
  Partial<Pick<QueueDescription, 'partition'>>

/**
 * Folds the reply queues that requesters of older clients created: a series for each would grow without
 * bound.
 */
export const foldReplyQueues = (queues: readonly QueueDescription[]): readonly MeasuredQueue[] => {
  const replies = queues.filter(({ name }) => isReplyQueue(name))
  const first = replies[0]
  if (first === undefined) return queues
  return [
    ...queues.filter(({ name }) => !isReplyQueue(name)),
    {
      name: 'replies-*',
      counts: replies.map(({ counts }) => counts).reduce(sumCounts),
      subscriptions: first.subscriptions,
      warnings: replies.flatMap(({ warnings }) => warnings),
      oldestAgeMs: Math.max(...replies.map(({ oldestAgeMs }) => oldestAgeMs)),
      waitingPolls: replies.reduce((sum, { waitingPolls }) => sum + waitingPolls, 0),
      deliveryPaused: replies.some(({ deliveryPaused }) => deliveryPaused),
    },
  ]
}
