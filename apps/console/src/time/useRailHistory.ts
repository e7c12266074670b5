import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useInterval } from '../data/useFeed.ts'
import { askHistory } from '../data/useHistory.ts'
import type { TimeWindow } from './timeWindow.ts'

/** How often the end of a window is fetched, in ms. */
const againMs = 10_000
/** A moving window is fetched again each time it has moved by one of this many parts of its length. */
const parts = 12

/** What happened in a window of time, in about `buckets` buckets; a small move does not fetch it again. */
export const useRailHistory = (queue: string | undefined, shown: TimeWindow | undefined, buckets: number) => {
  const interval = useInterval(againMs)
  const stepMs = shown === undefined ? 1 : Math.max(1_000, Math.ceil((shown.to - shown.from) / parts))
  const from = shown === undefined ? 0 : Math.floor(shown.from / stepMs) * stepMs
  const to = shown === undefined ? 0 : Math.ceil((shown.to + 1) / stepMs) * stepMs
  return useQuery({
    queryKey: ['rail', queue, from, to, buckets],
    queryFn: ({ signal }) => askHistory({ queue, from, to, buckets }, signal),
    enabled: shown !== undefined,
    refetchInterval: interval,
    placeholderData: keepPreviousData,
    retry: false,
  })
}
