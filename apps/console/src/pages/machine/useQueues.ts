import { useQuery } from '@tanstack/react-query'
import type { QueueConfig, QueueCounts } from '@kiroku/partition'
import { get } from '../../data/api.ts'
import { useMoment } from '../../data/moment.ts'
import { warningOf } from './warningOf.ts'

/** What the engine says of a queue that the feed does not. */
export interface QueueFacts {
  readonly name: string
  readonly deliveryPaused: boolean
  readonly config: QueueConfig
  readonly counts: QueueCounts
  /** Age of the oldest message that is not final, in ms. */
  readonly oldestAgeMs: number
}

/** How often they are asked for while the page is live and in sight, in ms. */
const everyMs = 10_000

/** The queues as they stand now; nothing while the past is looked at. */
export const useQueues = (isLive: boolean): readonly QueueFacts[] => {
  const { at } = useMoment()
  const { data } = useQuery({
    queryKey: ['queue facts'],
    queryFn: ({ signal }) => get<{ queues: readonly QueueFacts[] }>('/v1/queues', undefined, signal),
    enabled: at === undefined,
    refetchInterval: isLive ? everyMs : false,
  })
  return at === undefined ? (data?.queues ?? none) : none
}

const none: readonly QueueFacts[] = []

/** The states where a limit is near, and the words for it. */
export const warningsOf = (
  queues: readonly QueueFacts[],
  scope: string | undefined,
): ReadonlyMap<string, string> => {
  const said = warningOf(queues.filter(({ name }) => scope === undefined || name === scope))
  return new Map(said === undefined ? [] : [['Inflight', said]])
}
