import { useQuery } from '@tanstack/react-query'
import type { FeedModel } from './FeedModel.ts'
import { Recent } from './Recent.ts'
import { useFollows } from './useFeed.ts'
import { askHistory } from './useHistory.ts'

/** Span of the charts of the last seconds, in s: after that a feed fills them itself. */
const recentSeconds = 90
/**
 * How often to refetch while the auditor has not reached the beginning of the feed, in ms: soon, then slowly.
 */
const [soonMs, laterMs] = [1_000, 5_000]
const soonTimes = 5

/**
 * What happened in the 90 seconds before a feed began, in its queue or in all, and `by` queue in each. It is
 * refetched until it reaches the feed; there is none without an auditor.
 */
export const useRecent = (queue: string | undefined, { since }: Pick<FeedModel, 'since'>, by?: 'queue') => {
  const follows = useFollows()
  return useQuery({
    queryKey: ['recent', queue, by],
    queryFn: async ({ signal }) => {
      const askedAt = Date.now()
      const asked = { queue, from: askedAt - recentSeconds * 1_000, buckets: recentSeconds + 1 }
      const history = await askHistory(asked, signal, by)
      return new Recent(history, (askedAt + Date.now()) / 2 - history.now)
    },
    enabled: follows,
    retry: false,
    refetchInterval: ({ state }) => {
      if (!follows || (since !== undefined && state.data?.covers(since) === true)) return false
      if (since !== undefined && Date.now() - since > recentSeconds * 1_000) return false
      return state.dataUpdateCount + state.errorUpdateCount < soonTimes ? soonMs : laterMs
    },
  })
}
