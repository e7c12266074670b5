import {
  configWarnings,
  heldWarning,
  type QueueDescription,
  type SubscriptionDescription,
} from '@kiroku/protocol'
import { describeOutbox } from '../forward/describeOutbox.ts'
import { Ages } from '../ownership/Ages.ts'
import type { Ownership } from '../ownership/Ownership.ts'
import type { Recent } from '../ownership/RecentDeliveries.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { subscriptionCounts, sumOf } from './countsOf.ts'
import { describeConsumers } from './describeConsumers.ts'
import { failureWarning } from './failureWarning.ts'
import { leaseWarning } from './leaseWarning.ts'

/**
 * Describes queues at partition time `now`.
 * @param own adds what only the owner knows: who waits, how long things take, what is held up; and without it the ages take
 * one pass over all messages
 */
export const describeQueues = (
  state: PartitionState,
  queues: Iterable<QueueState>,
  now: number,
  own?: Ownership,
): QueueDescription[] => {
  const ages = own?.ages ?? new Ages(state)
  const outbox = describeOutbox(state, own)
  const descriptions: QueueDescription[] = []
  for (const q of queues) {
    const times = own?.times.of(q.id, now)
    const recent = q.subs.map((sub) => own?.times.deliveries.of(sub, now))
    const subscriptions = q.subs.map((sub, i) => describeSubscription(sub, now, own, recent[i]))
    const leaving = outbox.get(q.id)
    descriptions.push({
      name: q.name,
      partition: state.partition,
      queue: q.id,
      config: q.config,
      warnings: [
        ...warningsOf(q),
        ...recentWarnings(q, recent),
        ...(leaving ?? []).flatMap((lane) => heldWarning(lane) ?? []),
      ],
      applied: Object.fromEntries(q.applied),
      ...timesOf(q),
      deliveryPaused: q.deliveryPaused,
      counts: sumOf(q, subscriptions),
      subscriptions,
      oldestAgeMs: Math.max(0, now - (ages.oldestAt(q) ?? now)),
      waitingPolls: subscriptions.reduce((n, s) => n + s.waitingPolls, 0),
      ...(leaving === undefined ? undefined : { outbox: leaving }),
      ...(times === undefined ? undefined : { times }),
      ...(q.spread === undefined || q.spread.parts.length === 0
        ? undefined
        : { spread: { version: q.spread.version, parts: q.spread.parts } }),
      ...(q.place === undefined ? undefined : { home: q.place.home }),
    })
  }
  return descriptions
}

/** Describes one queue, with its notes and the consumers of its subscriptions. */
export const describeQueue = (own: Ownership, queue: QueueState, now: number): QueueDescription => {
  const description = describeQueues(own.state, [queue], now, own)[0]!
  return {
    ...description,
    ...(queue.notes.size === 0 ? undefined : { notes: Object.fromEntries(queue.notes) }),
    subscriptions: description.subscriptions.map((described, i) => {
      const consumers = describeConsumers(own, queue.subs[i]!)
      return { ...described, consumers }
    }),
  }
}

/** When it was created, configured and purged, as far as that is known. */
const timesOf = (q: QueueState): Pick<QueueDescription, 'createdAt' | 'configuredAt' | 'purgedAt'> => ({
  ...(q.createdAt === 0 ? undefined : { createdAt: q.createdAt }),
  ...(q.configuredAt === 0 ? undefined : { configuredAt: q.configuredAt }),
  ...(q.purgedAt === 0 ? undefined : { purgedAt: q.purgedAt }),
})

const warningsOf = (q: QueueState): string[] => {
  const warnings = configWarnings(q.config)
  if (warnings.length > 0) return warnings
  return q.subs.flatMap((sub) =>
    configWarnings(sub.config).map((text) => `Subscription ${sub.name}: ${text}`),
  )
}

/** What recent deliveries warn of; subscriptions are named where there are several. */
const recentWarnings = ({ subs }: QueueState, recents: readonly (Recent | undefined)[]): string[] =>
  subs.flatMap((sub, i) => {
    const recent = recents[i]
    if (recent === undefined) return []
    return [failureWarning(recent), leaseWarning(recent, sub.config)].flatMap((text) =>
      text === undefined ? [] : subs.length === 1 ? text : `Subscription ${sub.name}: ${text}`,
    )
  })

const describeSubscription = (
  sub: Subscription,
  now: number,
  own: Ownership | undefined,
  recent: Recent | undefined,
): SubscriptionDescription => ({
  name: sub.name,
  sub: sub.id,
  settings: sub.settings,
  config: sub.config,
  deliveryPaused: sub.deliveryPaused,
  ...holdOf(sub, now),
  filling: sub.fill !== undefined,
  counts: subscriptionCounts(sub),
  waitingPolls: own?.of(sub).waitingCount ?? 0,
  ...(recent?.batches === undefined ? undefined : { batches: recent.batches }),
})

const holdOf = (sub: Subscription, now: number): Pick<SubscriptionDescription, 'hold'> => {
  const hold = sub.holdAt(now)
  return hold === undefined ? {} : { hold }
}
