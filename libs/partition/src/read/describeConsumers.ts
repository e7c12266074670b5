import { type ConsumerDescription, largestConsumers } from '@kiroku/protocol'
import { deliveriesOf } from '../flow/deliveriesOf.ts'
import type { Ownership } from '../ownership/Ownership.ts'
import type { Subscription } from '../state/QueueState.ts'

/**
 * The consumers of a subscription that wait for messages or hold some, by the name that they give, those that hold most
 * first. Passes over all live messages.
 */
export const describeConsumers = (own: Ownership, sub: Subscription): ConsumerDescription[] => {
  const { consumers } = own.times
  const found = new Map<string, { waitingPolls: number; inflight: number }>()
  const of = (consumer: string) => {
    let counts = found.get(consumer)
    if (counts === undefined) found.set(consumer, (counts = { waitingPolls: 0, inflight: 0 }))
    return counts
  }
  for (const { consumer } of own.of(sub).waiting()) of(consumer).waitingPolls++
  for (const [delivery, count] of deliveriesOf(own.state, sub)) {
    const holder = consumers.holderOf(delivery)
    if (holder !== undefined) of(holder).inflight += count
  }
  return largestConsumers(
    [...found].map(([name, counts]) => {
      const since = consumers.since(sub, name)
      return { name, ...counts, ...(since === undefined ? {} : { since }) }
    }),
  )
}
