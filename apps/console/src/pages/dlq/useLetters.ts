import type { DeadLetterGroups } from '@kiroku/api/answers'
import { useQueries, useQuery } from '@tanstack/react-query'
import { get } from '../../data/api.ts'
import { useAskedMoment } from '../../data/played.ts'
import { useLogInfo } from '../../data/queueInfos.ts'
import { useInterval } from '../../data/useFeed.ts'
import { logMomentAt } from '../../data/useLogMoment.ts'
import { useSpan } from '../../time/useSpan.ts'
import { letterQueuesOf, type LetterQueue } from '../../data/letterQueues.ts'

/** Dead letters of one cause and kind of error. */
export type LetterGroup = DeadLetterGroups['groups'][number]

/** How often groups are refetched; that reads the queue's part of the log. */
const groupsMs = 5_000
/** What counts as lately, in ms. */
const latelyMs = 3_600_000

/**
 * The messages in a queue by cause and kind of error, at the chosen moment; `undefined`: nothing is fetched.
 */
export const useLetters = (queue: string | undefined) => {
  const at = useAskedMoment()
  const interval = useInterval(groupsMs)
  return useQuery({
    queryKey: ['dead letters', queue, at],
    enabled: queue !== undefined,
    queryFn: ({ signal }) =>
      get<DeadLetterGroups>(`/v1/queues/${encodeURIComponent(queue!)}/dead-letters`, { at }, signal),
    refetchInterval: interval,
  })
}

/** How many queues are read for errors, and how many errors are shown. */
const topQueuesMax = 3
const topErrorsMax = 6
/** Fetched less often than for a single chosen queue. */
const topMs = 20_000

/** The most frequent errors in the fullest of these queues. */
export const useTopErrors = (queues: readonly LetterQueue[]) => {
  const at = useAskedMoment()
  const interval = useInterval(topMs)
  const fullest = queues.slice(0, topQueuesMax).map(({ name }) => name)
  const { all, isLoading } = useQueries({
    queries: fullest.map((queue) => ({
      queryKey: ['dead letters', queue, at],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        get<DeadLetterGroups>(`/v1/queues/${encodeURIComponent(queue)}/dead-letters`, { at }, signal),
      refetchInterval: interval,
    })),
    combine: (answers) => ({
      isLoading: answers.some(({ isLoading }) => isLoading),
      all: answers.flatMap(
        ({ data }, i) => data?.groups.map((group) => ({ ...group, queue: fullest[i]! })) ?? [],
      ),
    }),
  })
  return {
    groups: all.toSorted((a, b) => b.count - a.count).slice(0, topErrorsMax),
    isLoading,
    isPartial: queues.length > topQueuesMax,
  }
}

/** The dead-letter queues, with how many arrived in the last hour. */
export const useLetterQueues = () => {
  const known = useLogInfo()
  // A minute more or less makes no difference, and the past is not read more often than that.
  const hourBefore =
    known.data === undefined
      ? undefined
      : Math.floor(((known.data.at ?? known.dataUpdatedAt) - latelyMs) / 60_000) * 60_000
  const begin = useSpan(undefined, false).data?.from.at
  const before = useQuery({
    queryKey: ['sent before', hourBefore],
    enabled: hourBefore !== undefined && begin !== undefined && begin > 0 && begin <= hourBefore,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const { queues, missing } = await logMomentAt(new Date(hourBefore!).toISOString(), signal)
      // A missing queue had received nothing yet, unless its partition cannot be read.
      return missing.length > 0 ? null : new Map(queues.map(({ queue, counts }) => [queue, counts.sent]))
    },
    placeholderData: (previous) => previous,
  })
  // Before the record begins nothing had been sent.
  const isBefore = hourBefore !== undefined && begin !== undefined && (begin === 0 || begin > hourBefore)
  const sent = isBefore ? new Map<string, number>() : (before.data ?? undefined)
  return {
    ...known,
    rows: known.data === undefined ? undefined : letterQueuesOf(known.data.queues, sent),
  }
}
