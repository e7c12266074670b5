import { laterHold, type QueueDescription, sumCounts } from '@kiroku/protocol'
import type { MomentPart, MomentSubscription, QueueOverview } from './QueueMoment.ts'

/** A queue, or a part of it, in one partition. */
export interface DescribedPart {
  readonly place: MomentPart
  readonly description: QueueDescription
}

/** Sums the places of a queue, home first. `at`: the moment in ms since 1970. */
export const overviewOf = (name: string, at: number, places: readonly DescribedPart[]): QueueOverview => {
  const { config, deliveryPaused } = places[0]!.description
  return {
    queue: name,
    at,
    places: places.map(({ place }) => place),
    config,
    deliveryPaused,
    counts: places.map(({ description }) => description.counts).reduce(sumCounts),
    subscriptions: subscriptionsOf(places),
    oldestAgeMs: Math.max(...places.map(({ description }) => description.oldestAgeMs)),
  }
}

const subscriptionsOf = (places: readonly DescribedPart[]): MomentSubscription[] => {
  const byName = new Map<string, MomentSubscription>()
  for (const { description } of places)
    for (const { name, sub, deliveryPaused, hold, counts } of description.subscriptions) {
      const before = byName.get(name)
      const last = laterHold(before?.hold, hold)
      byName.set(name, {
        ...(before ?? { name, sub, deliveryPaused }),
        ...(last === undefined ? {} : { hold: last }),
        counts: before === undefined ? counts : sumCounts(before.counts, counts),
      })
    }
  return [...byName.values()]
}
