import type { TallyField } from '@kiroku/audit'
import { type Population } from '@kiroku/message'
import { stateNames } from '@kiroku/protocol'
import { useEffect, useMemo, useState } from 'react'
import { noPopulation, populationOfCounts, type FeedModel, type Flow } from '../../data/FeedModel.ts'
import type { FeedStatus } from '../../data/FeedStream.ts'
import type { Recent } from '../../data/Recent.ts'
import { letterQueuesOf, lyingLetters, type LyingLetters } from '../../data/letterQueues.ts'
import { useMoment, useScope } from '../../data/moment.ts'
import { useLogInfo, type LogInfo, type QueueInfo } from '../../data/queueInfos.ts'
import { useDeadToday } from '../../data/useDeadToday.ts'
import { useFeed } from '../../data/useFeed.ts'
import { useRecent } from '../../data/useRecent.ts'
import type { Standing as Replayed } from '../../replay/Player.ts'
import { usePlayback } from '../../replay/usePlayback.tsx'
import { ReplayFlow } from './ReplayFlow.ts'
import { isCommitted, isFailed, isSent, rankQueues, type History, type Standing } from './Standing.ts'

/** How long rates are averaged over, in s. */
const rateSeconds = 3
/** How far small charts reach back, in s. */
const historySeconds = 90

/** The counts, and how they are known. */
export interface Known {
  /** The last known counts; absent before the first. */
  readonly standing: Standing | undefined
  readonly status: FeedStatus | 'past' | 'playing' | 'reading'
  readonly error: unknown
  readonly retry?: () => void
  /** What the engine says of the queues besides their counts. */
  readonly queues: readonly QueueInfo[]
  /** Dead letters within the selection; undefined if there is no dead-letter queue, or before it is known. */
  readonly lying: LyingLetters | undefined
  /** How many became dead letters today. */
  readonly deadToday: number | undefined
  /** Partitions not included in any count. */
  readonly missing: LogInfo['missing']
}

const sum = (populations: readonly Population[]): Population => {
  const all: Record<keyof Population, number> = { ...noPopulation }
  for (const each of populations) for (const state of stateNames) all[state] += each[state]
  return all
}

/** The part of the populations that is in dead-letter queues. */
const lettersIn = (
  populations: Iterable<readonly [string, Population]>,
  letterNames: ReadonlySet<string>,
): Population => sum([...populations].filter(([name]) => letterNames.has(name)).map(([, each]) => each))

/** The counts at a moment, from the engine. */
const standingOfLog = (
  { queues, partitions = [], at = 0 }: LogInfo,
  scope: string | undefined,
  letterNames: ReadonlySet<string>,
): Standing => {
  const populations = queues
    .filter(({ name }) => scope === undefined || name === scope)
    .map(({ name, counts }) => [name, populationOfCounts(counts)] as const)
  return {
    population: sum(populations.map(([, population]) => population)),
    letters: lettersIn(populations, letterNames),
    flow: new Map(),
    asOf: { at, seqs: partitions.map(({ seq }) => seq) },
    queuesIn: (states) => rankQueues(populations, states),
  }
}

/** The counts at a replayed moment; a spread queue appears once per partition. */
const standingOfReplay = (
  { at, seqs, queues }: Replayed,
  flow: Flow,
  scope: string | undefined,
  letterNames: ReadonlySet<string>,
): Standing => {
  const populations = new Map<string, Population>()
  for (const { queue, population } of queues) {
    if (scope !== undefined && queue !== scope) continue
    const before = populations.get(queue)
    populations.set(queue, before === undefined ? population : sum([before, population]))
  }
  return {
    population: sum([...populations.values()]),
    letters: lettersIn(populations, letterNames),
    flow,
    asOf: { at, seqs: Object.values(seqs) },
    queuesIn: (states) => rankQueues(populations, states),
  }
}

/** The last seconds from the feed, after those before it from the record. */
const historyOf = (model: FeedModel, recent: Recent | undefined, now: number): History => {
  const unknown = historySeconds - model.knownSeconds(now, historySeconds)
  const of = (takes: (transition: string) => boolean, fields: readonly TallyField[]) => {
    const seen = model.history(now, historySeconds, takes).map((n, i) => (i < unknown ? undefined : n))
    return recent?.fill(seen, now, fields) ?? seen
  }
  return {
    sent: of(isSent, ['sent']),
    committed: of(isCommitted, ['committed']),
    failed: of(isFailed, ['failed', 'released']),
  }
}

/** The counts: from the feed, or at the chosen moment. */
export const useStanding = (): Known => {
  const { at } = useMoment()
  const { queue } = useScope()
  const feed = useFeed(queue)
  const second = useSecond(feed.status === 'live')
  const { model, version } = feed
  const flow = useMemo(() => {
    const known = Math.max(1, model.knownSeconds(second, rateSeconds))
    return model.rates(second, Math.min(rateSeconds, known))
  }, [model, second])
  const recent = useRecent(queue, model).data
  const history = useMemo(() => historyOf(model, recent, second), [model, recent, second])
  const log = useLogInfo()
  const letterQueues = useMemo(() => letterQueuesOf(log.data?.queues ?? none), [log.data])
  // A single queue is shown as is, even if it holds dead letters.
  const named = queue === undefined ? letterQueues.map(({ name }) => name).join(' ') : ''
  const letterNames = useMemo(() => new Set(named === '' ? [] : named.split(' ')), [named])
  const lying = useMemo(() => lyingLetters(letterQueues, queue), [letterQueues, queue])
  const deadToday = useDeadToday(log.data, queue)
  const live = useMemo((): Standing | undefined => {
    if (!model.hasSnapshot || version < 0) return undefined
    return {
      population: model.population(),
      letters: lettersIn(
        [...letterNames].map((name) => [name, model.population(name)] as const),
        letterNames,
      ),
      flow,
      asOf: model.place,
      queuesIn: (states) =>
        rankQueues(
          model.queueNames().map((name) => [name, model.population(name)] as const),
          states,
        ),
      history,
    }
  }, [model, version, flow, history, letterNames])
  const { standing: replayed, isPlaying } = usePlayback()
  const replayFlow = useMemo(() => new ReplayFlow(queue), [queue])
  const past = useMemo((): Standing | undefined => {
    if (at === undefined) return undefined
    if (replayed !== undefined)
      return standingOfReplay(replayed, replayFlow.take(replayed), queue, letterNames)
    return log.data && standingOfLog(log.data, queue, letterNames)
  }, [at, replayed, replayFlow, log.data, queue, letterNames])
  const queues = log.data?.queues ?? none
  const missing = log.data?.missing ?? none
  const said = { queues, missing, lying, deadToday }
  if (at === undefined) return { standing: live, status: feed.status, error: feed.error, ...said }
  const error = past === undefined ? log.error : undefined
  const retry = (): void => void log.refetch()
  const waits = replayed === undefined || replayed.isReading
  const status = !isPlaying ? 'past' : waits ? 'reading' : 'playing'
  return { standing: past, status, error, retry, ...said }
}

const none: readonly never[] = []

/** The beginning of this second by the reader's clock, in ms; it is frozen while the page is not live. */
const useSecond = (goes: boolean): number => {
  const [second, setSecond] = useState(Date.now)
  useEffect(() => {
    if (!goes) return
    const timer = setInterval(() => setSecond(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [goes])
  return second
}
