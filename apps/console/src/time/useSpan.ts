import type { Span } from '@kiroku/api/answers'
import { useQuery } from '@tanstack/react-query'
import { get } from '../data/api.ts'
import { useMoment } from '../data/moment.ts'
import { useAskedMoment } from '../data/played.ts'
import { useLogMoment } from '../data/useLogMoment.ts'
import { timeIn } from './timeWindow.ts'

/** How often the end of the record is fetched, in ms. */
const spanMs = 10_000

/** The span of the record of a queue, or of all; refetched while `follows`. */
export const useSpan = (queue: string | undefined, follows: boolean) =>
  useQuery({
    queryKey: ['span', queue],
    queryFn: ({ signal }) => get<Span>('/v1/span', { queue }, signal),
    refetchInterval: follows ? spanMs : false,
    placeholderData: (before) => before,
  })

/** The time in ms of the chosen moment; undefined while unknown, and now. */
export const useMomentTime = (): number | undefined => useTimeOf(useMoment().at)

/** The same for the moment requested from the engine. */
export const useAskedTime = (): number | undefined => useTimeOf(useAskedMoment())

const useTimeOf = (at: string | undefined): number | undefined => {
  const written = at === undefined ? undefined : timeIn(at)
  const { data } = useLogMoment({ enabled: written === undefined })
  return written ?? (at === undefined ? undefined : data?.at)
}
