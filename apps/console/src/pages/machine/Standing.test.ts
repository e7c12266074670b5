import { expect, it } from 'vitest'
import { chart } from '../../chart/chart.ts'
import {
  edgeRate,
  isFailed,
  isFinished,
  isNew,
  isSent,
  rankQueues,
  rateInto,
  rateOf,
  rateOutOf,
  shareOf,
} from './Standing.ts'

const flow = new Map([
  ['sent', 11],
  ['New→Available', 10],
  ['New→Delayed', 2],
  ['Delayed→Available', 1],
  ['Available→Inflight', 9],
  ['Inflight→Committed', 6],
  ['Inflight→WaitingRetry', 2],
  ['Inflight→DLQ', 1],
  ['Available→Discarded', 4],
])
const none = {
  Held: 0,
  Delayed: 0,
  Available: 0,
  Inflight: 0,
  WaitingRetry: 0,
  Committed: 0,
  DLQ: 0,
  Discarded: 0,
}

it('adds up what arrives, fails and ends', () => {
  expect(rateOf(flow, isNew)).toBe(12)
  expect(rateOf(flow, isSent)).toBe(11)
  expect(rateOf(flow, isFailed)).toBe(3)
  expect(rateOf(flow, isFinished)).toBe(11)
})

it('counts what crosses the border of a group, not what moves inside it', () => {
  const ready = ['Held', 'Delayed', 'Available']
  expect(rateInto(flow, ready)).toBe(12)
  expect(rateOutOf(flow, ready)).toBe(13)
  expect(rateInto(flow, ['Available'])).toBe(11)
})

it('shows each transition of the feed on the edge of the state that it left', () => {
  const rate = (key: string): number =>
    edgeRate(
      flow,
      chart.edges.find((edge) => edge.key === key)!,
    )
  expect(rate('Inflight→Committed')).toBe(6)
  expect(rate('Available→Discarded')).toBe(4)
  expect(rate('Ready→Discarded')).toBe(0)
})

it('compares live messages with live ones and final ones with final ones', () => {
  const population = { ...none, Available: 30, Inflight: 10, Committed: 900, DLQ: 100 }
  expect(shareOf(population, ['Available'])).toBe(0.75)
  expect(shareOf(population, ['DLQ'])).toBe(0.1)
  expect(shareOf(none, ['Held'])).toBe(0)
})

it('names the queues with most messages first', () => {
  const queues = [
    ['a', { ...none, DLQ: 1 }],
    ['b', { ...none, DLQ: 5 }],
    ['c', none],
  ] as const
  expect(rankQueues(queues, ['DLQ'])).toEqual([
    { queue: 'b', count: 5 },
    { queue: 'a', count: 1 },
  ])
})
