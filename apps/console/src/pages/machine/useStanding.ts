import { useQuery } from '@tanstack/react-query'
import type { Population } from '@kiroku/message'
import type { QueueCounts } from '@kiroku/partition'
import { useEffect, useMemo, useState } from 'react'
import { get } from '../../data/api.ts'
import { noPopulation, populationOfCounts, type FeedModel } from '../../data/FeedModel.ts'
import type { FeedStatus } from '../../data/FeedStream.ts'
import { useMoment, useScope } from '../../data/moment.ts'
import { useFeed } from '../../data/useFeed.ts'
import { isCommitted, isFailed, isSent, rankQueues, type History, type Standing } from './Standing.ts'

/** How long rates are averaged over, in s. */
const rateSeconds = 3
/** How far small charts reach back, in s. */
const historySeconds = 90

/** How the messages stand, and how that is known. */
export interface Known {
  /** The last that is known; absent before anything is. */
  readonly standing: Standing | undefined
  readonly status: FeedStatus | 'past'
  readonly error: unknown
  readonly retry?: () => void
}

interface PastQueue {
  readonly queue: string
  readonly counts: QueueCounts
  readonly places: readonly { readonly seq: number }[]
}

interface Past {
  readonly at: number
  readonly queues: readonly PastQueue[]
  readonly seqs: readonly number[]
}

const readPast = async (at: string, queue: string | undefined, signal: AbortSignal): Promise<Past> => {
  if (queue === undefined) {
    const { partitions, ...said } = await get<{
      at: number
      queues: readonly PastQueue[]
      partitions: readonly { readonly seq: number }[]
    }>('/v1/state', { at }, signal)
    return { ...said, seqs: partitions.map(({ seq }) => seq) }
  }
  const said = await get<PastQueue & { at: number }>(
    `/v1/queues/${encodeURIComponent(queue)}/state`,
    { at, limit: 1 },
    signal,
  )
  return { at: said.at, queues: [said], seqs: said.places.map(({ seq }) => seq) }
}

const sum = (populations: readonly Population[]): Population => {
  const all: Record<keyof Population, number> = { ...noPopulation }
  for (const each of populations)
    for (const [state, count] of Object.entries(each)) all[state as keyof Population] += count
  return all
}

const standingOfPast = ({ at, queues, seqs }: Past): Standing => {
  const populations = queues.map(({ queue, counts }) => [queue, populationOfCounts(counts)] as const)
  return {
    population: sum(populations.map(([, population]) => population)),
    flow: new Map(),
    asOf: { at, seqs },
    queuesIn: (states) => rankQueues(populations, states),
  }
}

const historyOf = (model: FeedModel, now: number): History => {
  const unknown = historySeconds - model.knownSeconds(now, historySeconds)
  const of = (takes: (transition: string) => boolean): (number | undefined)[] =>
    model.history(now, historySeconds, takes).map((n, i) => (i < unknown ? undefined : n))
  return { sent: of(isSent), committed: of(isCommitted), failed: of(isFailed) }
}

/** How the messages stand: by the feed, or at the moment that is looked at. */
export const useStanding = (): Known => {
  const { at } = useMoment()
  const { queue } = useScope()
  const feed = useFeed(queue)
  const second = useSecond(feed.status === 'live')
  const past = useQuery({
    queryKey: ['standing', at, queue],
    queryFn: ({ signal }) => readPast(at!, queue, signal),
    enabled: at !== undefined,
    staleTime: Infinity,
  })
  const { model, version } = feed
  const flow = useMemo(() => {
    const known = Math.max(1, model.knownSeconds(second, rateSeconds))
    return model.rates(second, Math.min(rateSeconds, known))
  }, [model, second])
  const history = useMemo(() => historyOf(model, second), [model, second])
  const live = useMemo((): Standing | undefined => {
    if (!model.hasSnapshot || version < 0) return undefined
    return {
      population: model.population(),
      flow,
      asOf: model.place,
      queuesIn: (states) =>
        rankQueues(
          model.queueNames().map((name) => [name, model.population(name)] as const),
          states,
        ),
      history,
    }
  }, [model, version, flow, history])
  const before = useMemo(() => past.data && standingOfPast(past.data), [past.data])
  return at === undefined
    ? { standing: live, status: feed.status, error: feed.error }
    : { standing: before, status: 'past', error: past.error, retry: () => void past.refetch() }
}

/** The beginning of this second by the reader's clock, in ms; it stands still while nothing is followed. */
const useSecond = (goes: boolean): number => {
  const [second, setSecond] = useState(Date.now)
  useEffect(() => {
    if (!goes) return
    const timer = setInterval(() => setSecond(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [goes])
  return second
}
