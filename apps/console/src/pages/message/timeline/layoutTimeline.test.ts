import type { TraceStep } from '@kiroku/audit'
import { describe, expect, it } from 'vitest'
import { layoutTimeline } from './layoutTimeline.ts'

const step = (
  at: number,
  event: TraceStep['event'],
  state: TraceStep['state'],
  more: Partial<TraceStep> = {},
): TraceStep => ({
  ...{ partition: 0, seq: at, at, queue: 'mail', number: 1, event, state, attempt: 0 },
  ...more,
})

const delivery = (attempt: number, at: number, ms: number | undefined, leaseUntil = at + 30_000) => ({
  ...{ queue: 'mail', attempt, delivery: attempt, consumer: 'w', waitMs: 0, at, leaseUntil },
  ...(ms === undefined ? {} : { ms }),
})

/** A life with this many failed attempts. */
const life = (attempts: number, stepMs: number) => {
  const steps = [step(0, 'Enqueued', 'Available')]
  const deliveries = []
  for (let i = 1; i <= attempts; i++) {
    const at = i * stepMs
    steps.push(step(at, 'Delivered', 'Inflight'), step(at + stepMs / 2, 'RetryScheduled', 'Available'))
    deliveries.push(delivery(i, at, stepMs / 2))
  }
  return { steps, deliveries }
}

describe('the timeline of a message', () => {
  it.each([2, 1_000, 86_400_000])('is legible where events are %i ms apart', (stepMs) => {
    const { steps, deliveries } = life(3, stepMs)
    const { events, width } = layoutTimeline(steps, deliveries, 1_000)
    for (const [i, { x }] of events.slice(1).entries()) expect(x - events[i]!.x).toBeGreaterThanOrEqual(24)
    expect(width).toBeGreaterThan(999)
    expect(width).toBeLessThan(2_000)
  })

  it('makes a longer wait wider than a shorter one', () => {
    const { events } = layoutTimeline(
      [
        step(0, 'Enqueued', 'Available'),
        step(10, 'Delivered', 'Inflight'),
        step(100_010, 'Acked', 'Committed'),
      ],
      [delivery(1, 10, 100_000)],
      500,
    )
    expect(events[1]!.gapPx).toBeGreaterThan(events[0]!.gapPx)
    expect(events[1]!.gapPx).toBeLessThan(events[0]!.gapPx * 5)
  })

  it('draws each attempt from its delivery to what ended it, in lanes that begin again', () => {
    const { steps, deliveries } = life(8, 1_000)
    const { bars, events, lanes } = layoutTimeline(steps, deliveries, 0)
    expect(bars.map(({ lane }) => lane)).toEqual([0, 1, 2, 3, 4, 5, 0, 1])
    expect(lanes).toBe(6)
    for (const { from, to, x, width, leasePx } of bars) {
      expect(to).toBe(from + 1)
      expect(x + width).toBeCloseTo(events[to]!.x)
      expect(leasePx).toBeGreaterThan(0)
    }
  })

  it('leaves an unsettled delivery open', () => {
    const steps = [step(0, 'Enqueued', 'Available'), step(5, 'Delivered', 'Inflight')]
    const { bars, width } = layoutTimeline(steps, [delivery(1, 5, undefined)], 300, 1_000)
    expect(bars[0]).toMatchObject({ from: 1, to: 2, leasePx: 0 })
    expect(bars[0]!.x + bars[0]!.width).toBeCloseTo(width)
  })

  it('has a section for each queue on the way', () => {
    const steps = [
      step(0, 'Enqueued', 'Available'),
      step(9, 'DeadLettered', 'DLQ'),
      step(7, 'ForwardReceived', 'Available', { queue: 'mail-dlq', partition: 1 }),
    ]
    const { sections, events } = layoutTimeline(steps, [], 400)
    expect(sections.map(({ queue, from, to }) => [queue, from, to])).toEqual([
      ['mail', 0, 2],
      ['mail-dlq', 2, 3],
    ])
    // Another partition has another clock: an earlier time there still comes later here.
    expect(events[2]!.x).toBeGreaterThan(events[1]!.x)
  })

  it('takes a thousand attempts, and none', () => {
    const { steps, deliveries } = life(1_000, 500)
    expect(layoutTimeline(steps, deliveries, 1_000).bars).toHaveLength(1_000)
    expect(layoutTimeline([], [], 1_000)).toMatchObject({ events: [], bars: [], width: 0 })
  })
})
