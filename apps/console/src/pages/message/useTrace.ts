import type { LogMoment, Trace, TraceStep } from '@kiroku/audit'
import { useQuery } from '@tanstack/react-query'
import { get } from '../../data/api.ts'
import { useMoment } from '../../data/moment.ts'
import { useInterval } from '../../data/useFeed.ts'

/** How often a message that is not over is looked at again, in ms. */
const againMs = 2_000

const finals: ReadonlySet<string> = new Set(['Committed', 'DLQ', 'Discarded'])

/** Whether nothing can happen any more. */
export const isOver = ({ state }: { readonly state: string }): boolean => finals.has(state)

/** All that is on record about a message. */
export const useTrace = (id: string) => {
  const interval = useInterval(againMs)
  return useQuery({
    queryKey: ['trace', id],
    queryFn: ({ signal }) => get<Trace>(`/v1/messages/${encodeURIComponent(id)}/trace`, undefined, signal),
    refetchInterval: ({ state: { data } }) => (data !== undefined && !isOver(data) ? interval : false),
  })
}

/** Says which events had happened at the moment that is looked at; undefined while that is asked, or where it is now. */
export const useHasHappened = (): ((step: TraceStep) => boolean) | undefined => {
  const { at } = useMoment()
  const { data } = useQuery({
    queryKey: ['moment', at],
    queryFn: ({ signal }) => get<LogMoment>('/v1/state', { at }, signal),
    enabled: at !== undefined,
    staleTime: Infinity,
  })
  if (at === undefined || data === undefined) return undefined
  return ({ partition, seq, at: happenedAt }) => {
    const then = data.partitions.find((each) => each.partition === partition)
    // Of a partition that cannot be read only the times of its events are known.
    return then === undefined ? happenedAt <= data.at : seq <= then.seq
  }
}
