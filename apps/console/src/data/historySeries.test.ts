import type { History } from '@kiroku/audit'
import { expect, it } from 'vitest'
import { historySeries } from './historySeries.ts'

const history: History = {
  ...{ from: 0, to: 50_000, bucketMs: 10_000, now: 44_000, known: { from: 0, to: 44_000 } },
  ...{ waitingBefore: 3, acts: [] },
  buckets: [
    { at: 10_000, sent: 20, waiting: 5 },
    { at: 40_000, sent: 8, waiting: -2 },
  ],
}

it('shows what happened in each bucket, and the rate per second, also of the current one', () => {
  const { counts, rates } = historySeries(history)
  expect(counts('sent')).toEqual([0, 20, 0, 0, 8])
  expect(counts('waiting')).toEqual([0, 5, 0, 0, -2])
  expect(rates('sent')).toEqual([0, 2, 0, 0, 2])
  expect(
    historySeries({ ...history, known: { from: 0, to: 41_000 } })
      .rates('sent')
      .at(-1),
  ).toBeUndefined()
})

it('shows how many messages waited at the end of each bucket', () => {
  expect(historySeries(history).waiting()).toEqual([3, 8, 8, 8, 6])
  expect(historySeries({ ...history, known: { from: 0, to: 30_000 } }).waiting()).toEqual([
    ...[3, 8, 8],
    ...[undefined, undefined],
  ])
})

it('leaves out what is not known: what the auditor has not read, and what was trimmed', () => {
  const { counts } = historySeries({ ...history, known: { from: 10_000, to: 30_000 } })
  expect(counts('sent')).toEqual([undefined, 20, 0, undefined, undefined])
})

it('ends at the chosen moment', () => {
  const { counts, rates } = historySeries({ ...history, to: 60_000 }, 42_500)
  expect(counts('sent')).toEqual([0, 20, 0, 0, 8])
  expect(rates('sent').at(-1)).toBeCloseTo(3.2)
})
