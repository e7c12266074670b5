import { batchFill, deliveriesPer1000, timeBucket } from '@kiroku/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costOf, type Arrival, type BatchSettings } from './costOf.ts'

const arrivals = fc
  .array(fc.record({ afterMs: fc.nat(3_000), count: fc.integer({ min: 1, max: 50 }), each: fc.nat(2_000) }), {
    maxLength: 60,
  })
  .map((list): Arrival[] => {
    let at = 1_700_000_000_000
    return list.map(({ afterMs, count, each }) => ({ at: (at += afterMs), count, bytes: count * each }))
  })
const settings = fc.record({
  batchMessages: fc.integer({ min: 1, max: 100 }),
  batchWaitMs: fc.nat(10_000),
  batchBytes: fc.integer({ min: 1, max: 100_000 }),
})
const sumOf = (list: readonly Arrival[]): number => list.reduce((sum, { count }) => sum + count, 0)
const holds = (property: fc.IProperty<[Arrival[], BatchSettings]>): void =>
  fc.assert(property, { seed: 17, numRuns: 400 })

/** The same computation, message by message. */
const slowly = (
  list: readonly Arrival[],
  { batchMessages, batchWaitMs, batchBytes = Infinity }: BatchSettings,
) => {
  const all = list.flatMap(({ at, count, bytes }) =>
    Array.from({ length: count }, () => ({ at, bytes: bytes / count })),
  )
  const sizes: number[] = []
  const waits: number[] = []
  for (let i = 0; i < all.length;) {
    let end = i
    let bytes = 0
    let closes = all[i]!.at + batchWaitMs
    for (; end < all.length && all[end]!.at <= closes; end++) {
      if (end > i && bytes + all[end]!.bytes > batchBytes) {
        closes = all[end]!.at
        break
      }
      bytes += all[end]!.bytes
      if (end + 1 - i === batchMessages || bytes >= batchBytes) {
        closes = all[end++]!.at
        break
      }
    }
    sizes.push(end - i)
    for (; i < end; i++) waits.push(closes - all[i]!.at)
  }
  return { sizes, waits }
}

describe('what a batch setting would have cost', () => {
  it('is that of the batches that it would have made, one by one', () => {
    holds(
      fc.property(arrivals, settings, (list, set) => {
        const { sizes, waits } = slowly(list, set)
        const cost = costOf(list, set)
        expect(cost).toMatchObject({ deliveries: sizes.length, messages: waits.length })
        const longest = Math.max(0, ...waits)
        expect(cost.waited?.buckets.length ?? 0).toBe(new Set(waits.map((ms) => timeBucket(ms))).size * 2)
        expect(cost.waited?.p99Ms ?? 0).toBeLessThanOrEqual(longest * 1.125 + 1)
      }),
    )
  })

  it('counts every message once, in batches no larger than asked for', () => {
    holds(
      fc.property(arrivals, settings, (list, set) => {
        const cost = costOf(list, set)
        expect(cost.messages).toBe(sumOf(list))
        expect(batchFill(cost)).toBeLessThanOrEqual(set.batchMessages)
        expect(cost.waited?.p99Ms ?? 0).toBeLessThanOrEqual(set.batchWaitMs * 1.125 + 1)
      }),
    )
  })

  it('is 1,000 invocations per 1,000 messages without a wait for batches of 1', () => {
    holds(
      fc.property(arrivals, settings, (list, { batchWaitMs }) => {
        fc.pre(list.length > 0)
        const cost = costOf(list, { batchMessages: 1, batchWaitMs })
        expect(deliveriesPer1000(cost)).toBe(1_000)
        expect(cost.waited).toMatchObject({ p99Ms: 0 })
      }),
    )
  })

  it('is never more invocations with a longer wait, or larger batches', () => {
    holds(
      fc.property(arrivals, settings, (list, set) => {
        const { deliveries } = costOf(list, set)
        const longer = { ...set, batchWaitMs: 2 * set.batchWaitMs + 1 }
        expect(costOf(list, longer).deliveries).toBeLessThanOrEqual(deliveries)
        const larger = { ...set, batchMessages: 2 * set.batchMessages }
        expect(costOf(list, larger).deliveries).toBeLessThanOrEqual(deliveries)
        const heavier = { ...set, batchBytes: 2 * set.batchBytes! }
        expect(costOf(list, heavier).deliveries).toBeLessThanOrEqual(deliveries)
      }),
    )
  })

  it('is no wait where none is asked for', () => {
    holds(
      fc.property(arrivals, settings, (list, set) => {
        expect(costOf(list, { ...set, batchWaitMs: 0 }).waited?.p99Ms ?? 0).toBe(0)
      }),
    )
  })

  it('is nothing where nothing arrived', () => {
    expect(costOf([], { batchMessages: 10, batchWaitMs: 5_000 })).toEqual({ deliveries: 0, messages: 0 })
  })
})
