import { type ConsumerDescription, largestConsumers } from '@kiroku/protocol'
import type { Ownership } from '../ownership/Ownership.ts'
import type { Subscription } from '../state/QueueState.ts'

/**
 * The consumers of a subscription that wait for messages or hold some, by the name that they give, those that hold most
 * first.
 */
export const describeConsumers = (own: Ownership, sub: Subscription): ConsumerDescription[] => {
  const known = own.times.consumers.of(sub)
  const polls = new Map<string, number>()
  own.of(sub).eachWaiting(({ consumer }) => polls.set(consumer, (polls.get(consumer) ?? 0) + 1))
  const names = new Set(polls.keys())
  for (const [name, { inflight }] of known) if (inflight > 0) names.add(name)
  return largestConsumers(
    [...names].map((name) => {
      const { inflight = 0, since } = known.get(name) ?? {}
      return { name, waitingPolls: polls.get(name) ?? 0, inflight, ...(since === undefined ? {} : { since }) }
    }),
  )
}
