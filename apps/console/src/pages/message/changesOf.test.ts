import type { TraceStep } from '@kiroku/audit'
import { expect, it } from 'vitest'
import { changesOf, detailsOf } from './changesOf.ts'

const step = (
  event: TraceStep['event'],
  state: TraceStep['state'],
  more: Partial<TraceStep> = {},
): TraceStep => ({
  ...{ partition: 0, seq: 1, at: 1_000, queue: 'mail', number: 1, event, state, attempt: 0 },
  ...more,
})

const changed = (...steps: TraceStep[]) =>
  changesOf(steps)
    .at(-1)!
    .map(({ name, before, after }) => `${name}: ${before} → ${after}`)

const sent = step('Enqueued', 'Available')
const delivered = step('Delivered', 'Inflight', { attempt: 1, delivery: 7, leaseUntil: 31_000 })

it('shows what a delivery changes', () => {
  expect(changed(sent, delivered)).toEqual([
    'State: Available → Inflight',
    'Attempt: 0 → 1',
    'Delivery: – → 7',
    'Lease until: – → 00:00:31.000 (in 30 s)',
  ])
})

it('shows that a lease is gone once it is settled', () => {
  expect(changed(sent, delivered, step('Acked', 'Committed', { attempt: 1 }))).toEqual([
    'State: Inflight → Committed',
    'Lease until: 00:00:31.000 (in 30 s) → –',
  ])
})

it('keeps the sides of two subscriptions apart', () => {
  const other = { ...delivered, subscription: 'audit', delivery: 1 }
  expect(changed(sent, delivered, other)).toContain('Delivery: 7 → 1')
  const acked = step('Acked', 'Committed', { attempt: 1, subscription: 'audit' })
  expect(
    changed(
      sent,
      other,
      step('Delivered', 'Inflight', { attempt: 1, subscription: 'b', delivery: 3 }),
      acked,
    ),
  ).toEqual(['State: Inflight → Committed', 'Lease until: 00:00:31.000 (in 30 s) → –'])
})

it('shows no change for what a repair gave up', () => {
  expect(changed(sent, { ...delivered, voided: true })).toEqual([])
})

it('says who did it and why', () => {
  const by = { name: 'ada', origin: 'cli', reason: 'a test' }
  expect(detailsOf(step('Discarded', 'Discarded', { by }))).toEqual([
    ['Done by', 'ada (cli)'],
    ['Why', 'a test'],
  ])
})
