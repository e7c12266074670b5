import { expect, it } from 'vitest'
import { ReplayFlow } from './ReplayFlow.ts'

const moment = (at: number, count: number, queue = 'mail') => ({
  at,
  changes: [{ queue, transitions: [{ from: 'Available', to: 'Inflight', count }], change: {} }],
})

it('shows the flow per second of the past, whatever the speed', () => {
  const flow = new ReplayFlow(undefined)
  expect(flow.take({ at: 10_000 }).size).toBe(0)
  expect(flow.take(moment(20_000, 50)).get('Available→Inflight')).toBe(5)
  const last = moment(30_000, 150)
  expect(flow.take(last).get('Available→Inflight')).toBe(10)
  expect(flow.take(last).get('Available→Inflight')).toBe(10)
})

it('forgets the flow when the replay jumps, and covers only the chosen queue', () => {
  const flow = new ReplayFlow('mail')
  flow.take({ at: 10_000 })
  expect(flow.take(moment(11_000, 5, 'orders')).size).toBe(0)
  expect(flow.take(moment(12_000, 5)).size).toBe(1)
  expect(flow.take({ at: 1_000 }).size).toBe(0)
})
