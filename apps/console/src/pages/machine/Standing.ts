import { type Population } from '@kiroku/message'
import { stateNames } from '@kiroku/protocol'
import type { ChartEdge } from '../../chart/chart.ts'
import { sentKey, type Flow } from '../../data/FeedModel.ts'
import type { StateName } from '../../parts/StateMark.tsx'

/** Messages of a queue in some states. */
export interface QueueShare {
  readonly queue: string
  readonly count: number
}

/** The messages at one moment, whatever the source: everything that the page draws. */
export interface Standing {
  readonly population: Population
  /** Those in dead-letter queues, when all queues are shown. */
  readonly letters: Population
  /** Messages per second on each transition. */
  readonly flow: Flow
  readonly asOf: {
    /** Partition time in ms. */
    readonly at: number
    /** The last record of each partition that is contained. */
    readonly seqs: readonly number[]
    /** Partitions that do not answer now; absent for the past. */
    readonly silent?: readonly number[]
  }
  /** The queues that have messages in any of the states, those with most first. */
  readonly queuesIn: (states: readonly StateName[]) => readonly QueueShare[]
  /** What happened in each of the last seconds, the oldest first; absent for the past. */
  readonly history?: History
}

/** Messages in each second; undefined if that is not known. */
export interface History {
  readonly sent: readonly (number | undefined)[]
  readonly committed: readonly (number | undefined)[]
  readonly failed: readonly (number | undefined)[]
}

/** Messages that were sent, once per subscription. */
export const isNew = (transition: string): boolean => transition.startsWith('New→')

/** What was sent, however many subscriptions get it. */
export const isSent = (key: string): boolean => key === sentKey

/** Messages that were handled. */
export const isCommitted = (transition: string): boolean => transition.endsWith('→Committed')

/** Failed attempts: what left a consumer without being committed. */
export const isFailed = (transition: string): boolean =>
  transition.startsWith('Inflight→') && !isCommitted(transition)

/** Messages that became final. */
export const isFinished = (transition: string): boolean => /→(?:Committed|DLQ|Discarded)$/.test(transition)

/** Messages per second on the given transitions. */
export const rateOf = (flow: Flow, takes: (transition: string) => boolean): number => {
  let sum = 0
  for (const [transition, perSecond] of flow) if (takes(transition)) sum += perSecond
  return sum
}

/** Messages per second on an edge. */
export const edgeRate = (flow: Flow, { counted }: ChartEdge): number =>
  counted.reduce((sum, key) => sum + (flow.get(key) ?? 0), 0)

/** Messages per second that enter some states from outside. */
export const rateInto = (flow: Flow, states: readonly string[]): number =>
  rateOf(flow, (transition) => {
    const [from, to] = transition.split('→')
    return states.includes(to!) && !states.includes(from!)
  })

/** Messages per second that leave some states. */
export const rateOutOf = (flow: Flow, states: readonly string[]): number =>
  rateOf(flow, (transition) => {
    const [from, to] = transition.split('→')
    return states.includes(from!) && !states.includes(to!)
  })

/** Whether anything is known yet. */
export const isKnown = ({ asOf }: Standing): boolean => asOf.seqs.length > 0

/** Whether it has a flow: a single moment in the past does not. */
export const hasFlow = ({ history, flow }: Standing): boolean => history !== undefined || flow.size > 0

/** How many messages are in some states. */
export const countIn = (population: Population, states: readonly StateName[]): number =>
  states.reduce((sum, state) => sum + population[state], 0)

const finals: readonly StateName[] = ['Committed', 'DLQ', 'Discarded']

/** The states of messages that are not final. */
export const liveStates: readonly StateName[] = stateNames.filter((state) => !finals.includes(state))

/** Share of all live, or all final, messages that are in some states: 0 to 1. */
export const shareOf = (population: Population, states: readonly StateName[]): number => {
  const alike = finals.includes(states[0]!) ? finals : liveStates
  const all = countIn(population, alike)
  return all === 0 ? 0 : countIn(population, states) / all
}

/** The queues that have messages in any of the states, those with most first. */
export const rankQueues = (
  queues: Iterable<readonly [string, Population]>,
  states: readonly StateName[],
): QueueShare[] =>
  [...queues]
    .map(([queue, population]) => ({ queue, count: countIn(population, states) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.queue < b.queue ? -1 : 1))
