import { laterHold, type QueueDescription } from '@kiroku/protocol'
import type { MomentPlace, MomentSubscription, QueueOverview } from './QueueMoment.ts'
import { sumCounts } from './sumCounts.ts'

/** A queue, or a part of it, in one partition. */
export interface DescribedPlace {
  readonly place: MomentPlace
  readonly description: QueueDescription
}

/** Sums what the places of a queue say, the home first. `at`: the moment in ms since 1970. */
export const overviewOf = (name: string, at: number, places: readonly DescribedPlace[]): QueueOverview => {
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

const subscriptionsOf = (places: readonly DescribedPlace[]): MomentSubscription[] => {
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
