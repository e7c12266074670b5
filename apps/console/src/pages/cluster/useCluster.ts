import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { get } from '../../data/api.ts'
import { useInterval } from '../../data/useFeed.ts'
import type { Cluster } from './Cluster.ts'
import { movesBetween, type Move } from './movesBetween.ts'
import type { Answer } from './partitionViews.ts'

/** How often it is polled, in ms. */
const pollMs = 2_000
/** Most moves listed. */
const movesMax = 20

/**
 * The engine's last description of its cluster, the one before, and what moved since this page was opened.
 */
export interface Watched {
  readonly last?: Answer
  readonly before?: Answer
  /** The latest first. */
  readonly moves: readonly (Move & { readonly at: number })[]
}

/** Watches the cluster while the page follows what happens; `isPast`: the past is shown. */
export const useCluster = (isPast: boolean) => {
  const interval = useInterval(pollMs)
  const { data, dataUpdatedAt, error, refetch } = useQuery({
    queryKey: ['cluster'],
    queryFn: ({ signal }) => get<Cluster>('/v1/cluster', undefined, signal),
    enabled: !isPast,
    refetchInterval: interval,
    structuralSharing: false,
  })
  const [watched, setWatched] = useState<Watched>({ moves: [] })
  useEffect(() => {
    if (data === undefined) return
    const last = { cluster: data, at: dataUpdatedAt }
    setWatched(({ last: before, moves }) => {
      if (before === undefined || before.at === last.at) return { last, moves }
      const moved = movesBetween(before.cluster, data).map((move) => ({ ...move, at: last.at }))
      return { last, before, moves: [...moved, ...moves].slice(0, movesMax) }
    })
  }, [data, dataUpdatedAt])
  return { watched, error, refetch }
}
