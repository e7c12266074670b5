import type { TraceStep } from '@kiroku/audit'
import { expect, it } from 'vitest'
import { inCausalOrder } from './inCausalOrder.ts'

const step = (event: TraceStep['event'], at: number, more: Partial<TraceStep> = {}): TraceStep => ({
  ...{ partition: 0, seq: 1, at, queue: 'mail', number: 1, event, state: 'Available', attempt: 1 },
  ...more,
})
const target = { partition: 1, queue: 'mail-dlq', forward: 4 }
const dead = step('DeadLettered', 398, { target, state: 'DLQ' })
const there = { partition: 1, queue: 'mail-dlq', number: 9 }
const arrived = step('ForwardReceived', 366, { ...there, from: { partition: 0, queue: 'mail', forward: 4 } })
const timesOf = (...steps: TraceStep[]): number[] => inCausalOrder(steps).map(({ at }) => at)

it('shows nothing before what caused it, whatever the clocks of two partitions say', () => {
  expect(timesOf(step('Enqueued', 100), dead, arrived)).toEqual([100, 398, 398])
})

it('shows what follows there no earlier either, and by its own clock once that has caught up', () => {
  const delivered = step('Delivered', 380, there)
  const acked = step('Acked', 500, there)
  expect(timesOf(dead, arrived, delivered, acked)).toEqual([398, 398, 398, 500])
})

it('leaves times alone that are in order, and those of another subscription', () => {
  const other = step('Delivered', 120, { subscription: 'audit' })
  expect(timesOf(step('Enqueued', 100), step('Acked', 300), other)).toEqual([100, 300, 120])
})
