import type { Trace } from '@kiroku/audit'
import { useQuery } from '@tanstack/react-query'
import { get } from '../../data/api.ts'
import { useInterval } from '../../data/useFeed.ts'

/** How often a message that is not final is refetched, in ms. */
const againMs = 2_000

const finals: ReadonlySet<string> = new Set(['Committed', 'DLQ', 'Discarded'])

/** Whether nothing can happen any more. */
export const isOver = ({ state }: { readonly state: string }): boolean => finals.has(state)

/** Everything on record about a message. */
export const useTrace = (id: string) => {
  const interval = useInterval(againMs)
  return useQuery({
    queryKey: ['trace', id],
    queryFn: ({ signal }) => get<Trace>(`/v1/messages/${encodeURIComponent(id)}/trace`, undefined, signal),
    refetchInterval: ({ state: { data } }) => (data !== undefined && !isOver(data) ? interval : false),
  })
}
