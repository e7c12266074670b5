import type { LogMoment } from '@kiroku/audit'
import { useQuery } from '@tanstack/react-query'
import { get } from './api.ts'
import { useAskedMoment } from './played.ts'

/** Asks how all queues stood at a moment, as the API takes it. */
export const logMomentAt = (at: string, signal: AbortSignal): Promise<LogMoment> =>
  get<LogMoment>('/v1/state', { at }, signal)

/**
 * What is wanted of how all queues stood at the moment that is looked at, as the engine says it: one request for all
 * who ask. `enabled`: whether it is needed at all. While it is now, there is no data.
 */
export const useLogMoment = <T = LogMoment>({
  enabled = true,
  select,
}: {
  readonly enabled?: boolean
  readonly select?: (then: LogMoment) => T
} = {}) => {
  const at = useAskedMoment()
  return useQuery({
    queryKey: ['moment', at],
    queryFn: ({ signal }) => logMomentAt(at!, signal),
    enabled: enabled && at !== undefined,
    staleTime: Infinity,
    ...(select === undefined ? {} : { select }),
  })
}
