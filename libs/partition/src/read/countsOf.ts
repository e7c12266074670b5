import type { QueueCounts, SubscriptionDescription } from '@kiroku/protocol'
import { totalsOf } from '../spread/Spread.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'

export const subscriptionCounts = (sub: Subscription): QueueCounts => ({
  delayed: sub.queue.delayed,
  available: sub.deliverable,
  inflight: sub.inflight,
  waitingRetry: sub.waitingRetry,
  ...finalCounts(sub),
})

/** Totals, with those of parts that are closed. */
const finalCounts = (
  sub: Subscription,
): Pick<QueueCounts, 'sent' | 'committed' | 'deadLettered' | 'discarded' | 'redelivered'> => {
  const { spread } = sub.queue
  const closed = spread && totalsOf(spread.closed, sub.name)
  return {
    sent: sub.entered + (closed?.entered ?? 0),
    committed: sub.committed + (closed?.committed ?? 0),
    deadLettered: sub.deadLettered + (closed?.deadLettered ?? 0),
    discarded: sub.discarded + (closed?.discarded ?? 0),
    redelivered: sub.redelivered + (closed?.redelivered ?? 0),
  }
}

/** Counts of a queue, of all subscriptions together. */
export const countsOf = (q: QueueState): QueueCounts =>
  sumOf(
    q,
    q.subs.map((sub) => ({ counts: subscriptionCounts(sub) })),
  )

export const sumOf = (
  q: QueueState,
  subscriptions: readonly Pick<SubscriptionDescription, 'counts'>[],
): QueueCounts => {
  const sum = (name: keyof QueueCounts): number => subscriptions.reduce((n, s) => n + s.counts[name], 0)
  return {
    delayed: q.delayed,
    available: sum('available'),
    inflight: sum('inflight'),
    waitingRetry: sum('waitingRetry'),
    sent: q.sent + (q.spread?.closed.sent ?? 0),
    committed: sum('committed'),
    deadLettered: sum('deadLettered'),
    discarded: sum('discarded'),
    redelivered: sum('redelivered'),
  }
}
