import type { QueueMoment } from '@kiroku/audit'
import { useQuery } from '@tanstack/react-query'
import { useSpan } from '../time/useSpan.ts'
import { ApiError, get } from './api.ts'
import { useMoment } from './moment.ts'
import type { LogInfo } from './queueInfos.ts'
import { logMomentAt } from './useLogMoment.ts'

/**
 * With more queues, their counts at midnight are not requested: that answer is as long as all their settings.
 */
const queuesMax = 500

/** How many messages had become dead letters when today began, in one queue or in all. */
const deadAt = async (midnight: string, queue: string | undefined, signal: AbortSignal): Promise<number> => {
  if (queue === undefined) {
    const { queues } = await logMomentAt(midnight, signal)
    return queues.reduce((sum, { counts }) => sum + counts.deadLettered, 0)
  }
  const path = `/v1/queues/${encodeURIComponent(queue)}/state`
  try {
    return (await get<QueueMoment>(path, { at: midnight, limit: 1 }, signal)).counts.deadLettered
  } catch (error) {
    // It was created today.
    if (error instanceof ApiError && error.id === 'UnknownQueue') return 0
    throw error
  }
}

/**
 * How many messages became dead letters since midnight where the reader is; undefined if that is not known.
 */
export const useDeadToday = (log: LogInfo | undefined, queue: string | undefined): number | undefined => {
  const { at } = useMoment()
  const midnight = new Date().setHours(0, 0, 0, 0)
  const begin = useSpan(undefined, false).data?.from.at
  const isOnRecord = begin !== undefined && begin > 0 && begin <= midnight
  const known = log?.queues.filter(({ name }) => queue === undefined || name === queue) ?? []
  const before = useQuery({
    queryKey: ['dead at midnight', midnight, queue],
    enabled: at === undefined && isOnRecord && known.length > 0 && known.length <= queuesMax,
    queryFn: ({ signal }) => deadAt(new Date(midnight).toISOString(), queue, signal),
    staleTime: Infinity,
    retry: false,
  }).data
  if (at !== undefined || begin === undefined || known.length === 0) return undefined
  const dead = known.reduce((sum, { counts }) => sum + counts.deadLettered, 0)
  // If the record begins today, all of it is from today.
  if (!isOnRecord) return dead
  return before === undefined ? undefined : Math.max(0, dead - before)
}
