import { machineGraph, type GraphEdge, type GraphNode, type MachineGraph } from '@kiroku/message'
import { stateWords, type StateName } from '../parts/StateMark.tsx'

/** All that takes a message from one state to another. */
export interface ChartEdge {
  /** `from→to`, as the feed and the URL write it. */
  readonly key: string
  readonly from: string
  readonly to: string
  /** In the order in which they are tried. */
  readonly ways: readonly GraphEdge[]
  /** The transitions of the feed that it shows: for a group, those without an edge of a child's own. */
  readonly counted: readonly string[]
}

/** The machine as it is drawn. */
export interface Chart {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly ChartEdge[]
  /** All transitions in the order in which they are tried. */
  readonly ways: readonly GraphEdge[]
}

/** Names of the states that a group contains; of a state, its own. */
export const leavesOf = (nodes: readonly GraphNode[], name: string): string[] => {
  const children = nodes.filter(({ parent }) => parent === name)
  return children.length === 0 ? [name] : children.flatMap((child) => leavesOf(nodes, child.name))
}

/** Puts the transitions between the same two states together. */
const chartOf = ({ nodes, edges }: MachineGraph): Chart => {
  const ways = Map.groupBy(edges, ({ from, to }) => `${from}→${to}`)
  return {
    nodes,
    ways: edges,
    edges: [...ways].map(([key, [first, ...rest]]) => {
      const { from, to } = first!
      const counted = leavesOf(nodes, from)
        .map((leaf) => `${leaf}→${to}`)
        .filter((own) => own === key || !ways.has(own))
      return { key, from, to, ways: [first!, ...rest], counted }
    }),
  }
}

/** The message machine. */
export const chart = chartOf(machineGraph())

/** The readable name of a state or a group. */
export const wordOf = (name: string): string => stateWords[name as StateName] ?? name

/** Whether this is a state that a message can be in. */
export const isState = (name: string): name is StateName => name in stateWords

/** Whether it is taken by messages that stay in their state: those are not counted. */
export const isLoop = ({ from, to }: ChartEdge): boolean => from === to

/** Names of its events, each once. */
export const eventsOf = ({ ways }: ChartEdge): string[] => [...new Set(ways.map(({ event }) => event))]

/** An event with what must hold: `RETRY if leaseHolder and dueLater`. */
export const wayText = ({ event, guards }: GraphEdge): string =>
  guards.length === 0 ? event : `${event} if ${guards.join(' and ')}`

/** What takes an edge, in words; the panel has the code names of its events. */
const edgeWords: Readonly<Record<string, string>> = {
  'Ready→Discarded': 'expired or purged',
  'Held→Delayed': 'committed',
  'Held→Available': 'committed',
  'Held→Discarded': 'rolled back',
  'Delayed→Available': 'delay elapsed',
  'Delayed→Delayed': 'rescheduled',
  'Delayed→Discarded': 'recalled',
  'Available→DLQ': 'no attempts left',
  'Available→Discarded': 'no attempts left',
  'Available→Inflight': 'delivered',
  'Available→Committed': 'late ack',
  'Inflight→Inflight': 'lease extended',
  'Inflight→Available': 'released',
  'Inflight→Committed': 'acknowledged',
  'Inflight→DLQ': 'out of retries',
  'Inflight→Discarded': 'out of retries',
  'Inflight→WaitingRetry': 'failed or deferred',
  'WaitingRetry→Available': 'retry due',
  'WaitingRetry→Committed': 'late ack',
  'WaitingRetry→Discarded': 'expired or purged',
}

/** What takes an edge, in words; one without an entry here is named by its events. */
export const edgeText = (edge: ChartEdge): string => edgeWords[edge.key] ?? eventsOf(edge).join(' ')

/** The label of an edge for assistive technology. */
export const edgeData = (edge: ChartEdge) => ({
  'data-from': edge.from,
  'data-to': edge.to,
  'data-events': eventsOf(edge).join(' '),
  'data-guards': edge.ways.map(({ event, guards }) => `${event}: ${guards.join(' ')}`).join('; '),
})

/** What an event does in a state, in the order in which it is tried: the first whose guards all hold is taken. */
export const choicesOf = ({ ways }: Chart, from: string, event: string): GraphEdge[] =>
  ways.filter((way) => way.from === from && way.event === event)

const reasonOfAction: Readonly<Record<string, string>> = {
  markExhausted: 'exhausted',
  markRecalled: 'recalled',
  markRolledBack: 'rolledBack',
  markExpired: 'expired',
  markPurged: 'purged',
}

/** How the search language names the states. */
const searchName = (name: string): string => (name === 'WaitingRetry' ? 'waiting' : name.toLowerCase())

const quoted = (queue: string): string =>
  /[\s",*]/.test(queue) ? `"${queue.replaceAll('"', '\\"')}"` : queue

/** The filter for messages that are in a state or a group. */
export const searchOfState = (name: string, queue: string | undefined): string =>
  `state:${searchName(name)}${queue === undefined ? '' : ` queue:${quoted(queue)}`}`

/**
 * The filter that comes nearest to the messages that took an edge: those that are where it leads, with the reasons it
 * gives. Undefined for an edge that leads nowhere.
 */
export const searchOfEdge = (edge: ChartEdge, queue: string | undefined): string | undefined => {
  if (isLoop(edge)) return undefined
  const reasons = edge.ways.flatMap(({ actions }) => actions.map((action) => reasonOfAction[action]))
  const isKnown = reasons.length > 0 && edge.to === 'Discarded' && !reasons.includes(undefined)
  return `${searchOfState(edge.to, queue)}${isKnown ? ` reason:${[...new Set(reasons)].join(',')}` : ''}`
}
