import {
  type LogMoment,
  type MissingPartition,
  type MomentPartition,
  type QueueOverview,
} from '@kiroku/audit'
import {
  type QueueConfig,
  type QueueCounts,
  type QueueDescription,
  type RecentBatches,
  type SubscriptionDescription,
  sumCounts,
  type TimeFigures,
} from '@kiroku/protocol'
import { useQuery } from '@tanstack/react-query'
import { useContext, useMemo } from 'react'
import type { Standing } from '../replay/Player.ts'
import { get } from './api.ts'
import { useMoment } from './moment.ts'
import { PlayedContext, useAskedMoment } from './played.ts'
import { useInterval } from './useFeed.ts'
import { useLogMoment } from './useLogMoment.ts'

type Figures = Omit<TimeFigures, 'buckets'>

/** How full the batches of a subscription were in the last minute. */
export type RecentBatchesInfo = Omit<RecentBatches, 'waited'> & { readonly waited?: Figures }

/** A subscription of a queue; what only the present knows is absent in the past. */
export type SubscriptionInfo = Pick<SubscriptionDescription, 'name' | 'deliveryPaused' | 'counts'> &
  Partial<Pick<SubscriptionDescription, 'hold' | 'settings' | 'filling' | 'waitingPolls' | 'consumers'>> & {
    readonly batches?: RecentBatchesInfo
  }

/** How long messages of a queue waited, and were processed. */
export interface QueueTimesInfo {
  readonly waiting?: Figures
  readonly processing?: Figures
}

/** A queue now or in the past: settings and counts. */
export interface QueueInfo {
  readonly name: string
  /** Its partitions, home first, and how many messages that are not final each has, if known. */
  readonly places: readonly { readonly partition: number; readonly live?: number }[]
  readonly config: QueueConfig
  /** Absent: none, or it is the past. */
  readonly notes?: Readonly<Record<string, string>>
  /** When it was created, last changed and last purged, in ms since 1970; absent: not known, or never. */
  readonly createdAt?: number
  readonly configuredAt?: number
  readonly purgedAt?: number
  readonly counts: QueueCounts
  readonly deliveryPaused: boolean
  readonly oldestAgeMs: number
  /** How long messages took in the last minute; the past does not know. */
  readonly times?: QueueTimesInfo
  readonly subscriptions: readonly SubscriptionInfo[]
  readonly warnings: readonly string[]
}

/** Messages that are not final. */
export const liveOf = ({ delayed, available, inflight, waitingRetry }: QueueCounts): number =>
  delayed + available + inflight + waitingRetry

/** A queue now, from the engine's answer. */
const infoOf = (queue: QueueDescription & { readonly warnings: readonly string[] }): QueueInfo => ({
  ...queue,
  places: queue.spread?.parts.map(({ partition, counts }) => ({
    partition,
    ...(counts === undefined ? {} : { live: liveOf(counts) }),
  })) ?? [{ partition: queue.partition, live: liveOf(queue.counts) }],
})

const infoThen = (queue: QueueOverview): QueueInfo => ({
  ...queue,
  name: queue.queue,
  places: queue.places.length === 1 ? [{ ...queue.places[0]!, live: liveOf(queue.counts) }] : queue.places,
  warnings: [],
})

/**
 * A list of many queues is requested more rarely, by this many ms per queue, so that it always costs about
 * the same.
 */
const msPerQueue = 5

/** A partition that cannot be read, whose queues are missing; or one queue of it, if named. */
export type Missing = MissingPartition & { readonly queue?: string }

/** A log at a moment: its queues, and in the past its partitions. `at` is ms since 1970, absent now. */
export interface LogInfo {
  readonly queues: readonly QueueInfo[]
  readonly at?: number
  readonly partitions?: readonly MomentPartition[]
  readonly missing: readonly Missing[]
}

interface QueueList {
  readonly queues: readonly Parameters<typeof infoOf>[0][]
  readonly missing: readonly Missing[]
}

const readLog = async (signal: AbortSignal): Promise<LogInfo> => {
  const { queues, missing } = await get<QueueList>('/v1/queues', undefined, signal)
  return { queues: queues.map(infoOf), missing }
}

const logThen = (then: LogMoment): LogInfo => ({ ...then, queues: then.queues.map(infoThen) })

/** The queues in a replay; the parts of a spread one together. */
const playedQueues = ({ queues }: Standing): ReadonlyMap<string, QueueInfo> => {
  const infos = new Map<string, QueueInfo>()
  for (const queue of queues) {
    const { places, ...info } = infoThen(queue)
    const before = infos.get(info.name)
    infos.set(
      info.name,
      before === undefined
        ? { ...info, places }
        : {
            ...before,
            places: [...before.places, ...places],
            counts: sumCounts(before.counts, info.counts),
            oldestAgeMs: Math.max(before.oldestAgeMs, info.oldestAgeMs),
          },
    )
  }
  return infos
}

/** The log at the current point of a replay, starting from the state that the engine gave for its beginning. */
const playedLog = (begun: LogInfo, played: Standing): LogInfo => ({
  ...begun,
  at: played.at,
  queues: [...playedQueues(played).values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  ...(begun.partitions === undefined
    ? {}
    : {
        partitions: begun.partitions.map((each) => ({
          ...each,
          seq: played.seqs[each.partition] ?? each.seq,
        })),
      }),
})

/** All queues with settings and oldest ages, at the chosen moment; polled slowly while it is now. */
export const useLogInfo = () => {
  const { at } = useMoment()
  const interval = useInterval(5_000)
  const now = useQuery({
    queryKey: ['log'],
    queryFn: ({ signal }) => readLog(signal),
    enabled: at === undefined,
    staleTime: 1_000,
    refetchInterval: ({ state }) =>
      interval && Math.max(interval, (state.data?.queues.length ?? 0) * msPerQueue),
  })
  const then = useLogMoment<LogInfo>({ select: logThen })
  const played = useContext(PlayedContext)
  const data = useMemo(
    () => (played === undefined || then.data === undefined ? then.data : playedLog(then.data, played)),
    [played, then.data],
  )
  return at === undefined ? now : { ...then, data }
}

/** One queue, at the chosen moment. */
export const useQueueInfo = (name: string) => {
  const at = useAskedMoment()
  const played = useContext(PlayedContext)
  const interval = useInterval(5_000)
  const path = `/v1/queues/${encodeURIComponent(name)}`
  const asked = useQuery({
    queryKey: ['queue', name, at ?? 'now'],
    queryFn: async ({ signal }): Promise<QueueInfo> =>
      at === undefined
        ? infoOf(await get(path, undefined, signal))
        : infoThen(await get(`${path}/state`, { at, limit: 1 }, signal)),
    staleTime: at === undefined ? 1_000 : Infinity,
    refetchInterval: interval,
  })
  const then = useMemo(() => played && playedQueues(played).get(name), [played, name])
  return then === undefined ? asked : { ...asked, data: then }
}
