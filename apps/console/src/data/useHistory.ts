import type { History } from '@kiroku/audit'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { get } from './api.ts'
import { useInterval } from './useFeed.ts'

/** An auditor less behind than this counts as up to date, in ms. */
export const keepsUpMs = 5_000

/** The requested span of history. Times are ms since 1970. */
export interface AskedHistory {
  readonly queue?: string | undefined
  readonly from: number
  readonly to?: number | undefined
  readonly buckets: number
}

const timeText = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString()

/** Fetches what happened, in buckets of time. Errors: `ApiError`, `NoAuditor` among them. */
export const askHistory = (
  { queue, from, to, buckets }: AskedHistory,
  signal: AbortSignal,
  by?: 'queue',
): Promise<History> =>
  get<History>('/v1/history', { queue, from: timeText(from), to: timeText(to), buckets, by }, signal)

/**
 * What happened in a span of time that ends at a moment, or now: then it is refetched every `everyMs` while
 * the page is live. The previous span stays until the next one arrives.
 */
export const useHistory = (
  { queue, ms, to, buckets }: Omit<AskedHistory, 'from'> & { readonly ms: number },
  { everyMs, by, enabled = true }: { everyMs: number; by?: 'queue'; enabled?: boolean },
) => {
  const interval = useInterval(everyMs)
  return useQuery({
    queryKey: ['history', queue, ms, to, buckets, by],
    queryFn: ({ signal }) => askHistory({ queue, from: (to ?? Date.now()) - ms, to, buckets }, signal, by),
    enabled,
    refetchInterval: to === undefined ? interval : false,
    placeholderData: keepPreviousData,
  })
}
