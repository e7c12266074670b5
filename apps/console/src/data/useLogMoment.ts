import type { LogMoment } from '@kiroku/audit'
import { useQuery } from '@tanstack/react-query'
import { get } from './api.ts'
import { useAskedMoment } from './played.ts'

/** Fetches all queues at a moment, in the API's form. */
export const logMomentAt = (at: string, signal: AbortSignal): Promise<LogMoment> =>
  get<LogMoment>('/v1/state', { at }, signal)

/**
 * A selection of all queues at the chosen moment: one request shared by all users. `enabled`: whether it is
 * needed at all. While the moment is now, there is no data.
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
