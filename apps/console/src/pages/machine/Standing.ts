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

/** How the messages stand at one moment, wherever that is known from: all that the page draws. */
export interface Standing {
  readonly population: Population
  /** Those of them that lie in dead-letter queues, where all queues are looked at. */
  readonly letters: Population
  /** Messages a second on each transition. */
  readonly flow: Flow
  readonly asOf: {
    /** Partition time in ms. */
    readonly at: number
    /** The last record of each partition that is contained. */
    readonly seqs: readonly number[]
    /** Partitions that do not answer now; absent where the past is looked at. */
    readonly silent?: readonly number[]
  }
  /** The queues that have messages in any of the states, those with most first. */
  readonly queuesIn: (states: readonly StateName[]) => readonly QueueShare[]
  /** What happened in each of the last seconds, the oldest first; absent where the past is looked at. */
  readonly history?: History
}

/** Messages in each second; undefined where that is not known. */
export interface History {
  readonly sent: readonly (number | undefined)[]
  readonly committed: readonly (number | undefined)[]
  readonly failed: readonly (number | undefined)[]
}

/** What comes of nothing: messages that were sent, once for each subscription. */
export const isNew = (transition: string): boolean => transition.startsWith('New→')

/** What was sent, however many subscriptions get it. */
export const isSent = (key: string): boolean => key === sentKey

/** Messages that were handled. */
export const isCommitted = (transition: string): boolean => transition.endsWith('→Committed')

/** Attempts that came to nothing: what left a consumer and was not committed. */
export const isFailed = (transition: string): boolean =>
  transition.startsWith('Inflight→') && !isCommitted(transition)

/** Messages that became final. */
export const isFinished = (transition: string): boolean => /→(?:Committed|DLQ|Discarded)$/.test(transition)

/** How many a second pass, of the transitions that are meant. */
export const rateOf = (flow: Flow, takes: (transition: string) => boolean): number => {
  let sum = 0
  for (const [transition, perSecond] of flow) if (takes(transition)) sum += perSecond
  return sum
}

/** How many messages a second take an edge. */
export const edgeRate = (flow: Flow, { counted }: ChartEdge): number =>
  counted.reduce((sum, key) => sum + (flow.get(key) ?? 0), 0)

/** How many a second come into some states, from outside of them. */
export const rateInto = (flow: Flow, states: readonly string[]): number =>
  rateOf(flow, (transition) => {
    const [from, to] = transition.split('→')
    return states.includes(to!) && !states.includes(from!)
  })

/** How many a second leave some states. */
export const rateOutOf = (flow: Flow, states: readonly string[]): number =>
  rateOf(flow, (transition) => {
    const [from, to] = transition.split('→')
    return states.includes(from!) && !states.includes(to!)
  })

/** Whether anything is known yet. */
export const isKnown = ({ asOf }: Standing): boolean => asOf.seqs.length > 0

/** Whether it tells what flows: a moment in the past by itself does not. */
export const hasFlow = ({ history, flow }: Standing): boolean => history !== undefined || flow.size > 0

/** How many messages are in some states. */
export const countIn = (population: Population, states: readonly StateName[]): number =>
  states.reduce((sum, state) => sum + population[state], 0)

const finals: readonly StateName[] = ['Committed', 'DLQ', 'Discarded']

/** The states of messages that are not over. */
export const liveStates: readonly StateName[] = stateNames.filter((state) => !finals.includes(state))

/** Which part of those alike, live or final, are in some states: 0 to 1. */
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
