import type { Act } from '@kiroku/audit'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { get } from '../../data/api.ts'
import { useMoment } from '../../data/moment.ts'
import { useInterval } from '../../data/useFeed.ts'
import { useReach } from '../../data/useReach.ts'
import { actsUpTo, joined } from './actLists.ts'

/** How often new acts are requested, in ms. */
const newsMs = 10_000

/** The known part of the requested acts. */
interface KnownActs {
  /** Latest first; absent until known. */
  readonly acts: readonly Act[] | undefined
  readonly error: unknown
  readonly retry: () => void
}

/**
 * All acts as of the chosen moment. Known ones are not requested again: only newer ones.
 */
export const useActs = (queue: string | undefined, since: string | undefined): KnownActs => {
  const queries = useQueryClient()
  const { at } = useMoment()
  const interval = useInterval(newsMs)
  const queryKey = ['acts', queue, since]
  const all = useQuery({
    queryKey,
    queryFn: ({ signal }) => ask(queue, since, signal),
    staleTime: Infinity,
  })
  const newestAt = all.data?.[0]?.at
  useQuery({
    queryKey: ['acts that are new', queue, since],
    enabled: all.data !== undefined && interval !== false,
    refetchInterval: interval,
    queryFn: async ({ signal }) => {
      const from = newestAt === undefined ? since : new Date(newestAt).toISOString()
      const news = await ask(queue, from, signal)
      queries.setQueryData<readonly Act[]>(queryKey, (known = []) => joined(known, news))
      return news.length
    },
  })
  const moment = useReach()
  const acts = useMemo(() => {
    if (all.data === undefined || at === undefined) return all.data
    return moment.data === undefined ? undefined : actsUpTo(all.data, moment.data.partitions)
  }, [all.data, at, moment.data])
  return {
    acts,
    error: all.error ?? moment.error,
    retry: () => void (all.error === null ? moment : all).refetch(),
  }
}

const ask = async (
  queue: string | undefined,
  since: string | undefined,
  signal: AbortSignal,
): Promise<readonly Act[]> =>
  (await get<{ readonly acts: readonly Act[] }>('/v1/acts', { queue, since }, signal)).acts
