import {
  isReplyQueue,
  type QueueDescription,
  type SubscriptionDescription,
  sumCounts,
} from '@kiroku/protocol'

/** A queue in the metrics. */
export type MeasuredQueue = Pick<
  QueueDescription,
  'name' | 'counts' | 'subscriptions' | 'warnings' | 'oldestAgeMs' | 'waitingPolls' | 'deliveryPaused'
>

/**
 * Folds the parts of a spread queue that are here into one, and all reply queues that requesters of older clients
 * created: a series for each of those would grow without bound.
 */
export const foldQueues = (queues: readonly QueueDescription[]): readonly MeasuredQueue[] =>
  [...Map.groupBy(queues, nameOf)].map(([name, [first, ...others]]) =>
    others.reduce<MeasuredQueue>(fold, { ...first!, name }),
  )

/** Name of a queue in the metrics. */
const nameOf = ({ name }: QueueDescription): string => (isReplyQueue(name) ? 'replies-*' : name)

const fold = (one: MeasuredQueue, other: MeasuredQueue): MeasuredQueue => ({
  name: one.name,
  counts: sumCounts(one.counts, other.counts),
  subscriptions: one.subscriptions.map((sub) => {
    const same = other.subscriptions.find(({ name }) => name === sub.name)
    return same === undefined ? sub : foldSubscription(sub, same)
  }),
  warnings: [...new Set([...one.warnings, ...other.warnings])],
  oldestAgeMs: Math.max(one.oldestAgeMs, other.oldestAgeMs),
  waitingPolls: one.waitingPolls + other.waitingPolls,
  deliveryPaused: one.deliveryPaused || other.deliveryPaused,
})

const foldSubscription = (
  one: SubscriptionDescription,
  other: SubscriptionDescription,
): SubscriptionDescription => {
  const hold = one.hold ?? other.hold
  return {
    ...one,
    counts: sumCounts(one.counts, other.counts),
    waitingPolls: one.waitingPolls + other.waitingPolls,
    deliveryPaused: one.deliveryPaused || other.deliveryPaused,
    ...(hold === undefined ? {} : { hold }),
  }
}
