import { groupBy } from '../groupBy.ts'
import { limits } from '../limits.ts'
import type { ConsumerDescription } from './QueueDescription.ts'

/** The same consumer on several partitions is one. */
export const mergeConsumers = (
  parts: readonly (readonly ConsumerDescription[] | undefined)[],
): ConsumerDescription[] | undefined => {
  if (parts.every((part) => part === undefined)) return undefined
  const merged = groupBy(
    parts.flatMap((part) => part ?? []),
    ({ name }) => name,
  )
  return largestConsumers(
    [...merged].map(([name, same]) => {
      const since = same.flatMap((each) => each.since ?? [])
      return {
        name,
        waitingPolls: same.reduce((n, each) => n + each.waitingPolls, 0),
        inflight: same.reduce((n, each) => n + each.inflight, 0),
        ...(since.length === 0 ? {} : { since: Math.min(...since) }),
      }
    }),
  )
}

export const largestConsumers = (all: readonly ConsumerDescription[]): ConsumerDescription[] =>
  all
    .toSorted(
      (a, b) => b.inflight - a.inflight || b.waitingPolls - a.waitingPolls || (a.name < b.name ? -1 : 1),
    )
    .slice(0, limits.consumersDescribedMax)
