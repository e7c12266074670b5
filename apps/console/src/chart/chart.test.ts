import { machineGraph } from '@kiroku/message'
import { stateNames } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { chart, choicesOf, searchOfEdge, searchOfState, wayText } from './chart.ts'

const edge = (key: string) => chart.edges.find((each) => each.key === key)!

it('draws every state and every transition of the machine, each once', () => {
  const graph = machineGraph()
  expect(chart.nodes).toEqual(graph.nodes)
  expect(
    chart.edges
      .flatMap(({ ways }) => ways)
      .map((way) => JSON.stringify(way))
      .sort(),
  ).toEqual(graph.edges.map((way) => JSON.stringify(way)).sort())
  expect(new Set(chart.edges.map(({ key }) => key)).size).toBe(chart.edges.length)
})

it('shows what the feed counts on one edge at most', () => {
  const counted = chart.edges.flatMap((each) => each.counted)
  expect(new Set(counted).size).toBe(counted.length)
  for (const { key, from } of chart.edges)
    if ((stateNames as readonly string[]).includes(from)) expect(counted).toContain(key)
})

it('lists what an event does in the order in which it is tried', () => {
  expect(choicesOf(chart, 'Inflight', 'RETRY').map(({ to }) => to)).toEqual([
    'DLQ',
    'Discarded',
    'WaitingRetry',
    'Available',
  ])
  expect(wayText(edge('Available→DLQ').ways[0]!)).toBe('DELIVER if noAttemptLeft and hasDeadLetter')
})

it('searches for the messages where an edge leads, by reason when it covers only some', () => {
  expect(searchOfState('WaitingRetry', 'mail')).toBe('state:waiting queue:mail')
  expect(searchOfState('Ready', 'my queue')).toBe('state:ready queue:"my queue"')
  expect(searchOfEdge(edge('Inflight→DLQ'), undefined)).toBe('state:dlq')
  expect(searchOfEdge(edge('Delayed→Discarded'), undefined)).toBe('state:discarded reason:recalled')
  expect(searchOfEdge(edge('Ready→Discarded'), undefined)).toBe('state:discarded')
  expect(searchOfEdge(edge('Inflight→Inflight'), undefined)).toBeUndefined()
})
