import type { History } from '@kiroku/audit'
import { expect, it } from 'vitest'
import { Recent } from './Recent.ts'

const history: History = {
  ...{ from: 100_000, to: 110_000, bucketMs: 1_000, now: 108_400, known: { from: 0, to: 108_300 } },
  ...{ waitingBefore: 0, acts: [] },
  buckets: [
    { at: 103_000, sent: 2, failed: 1, released: 1 },
    { at: 108_000, sent: 9 },
  ],
  queues: [{ queue: 'mail', buckets: [{ at: 103_000, sent: 1 }] }],
}
const unknown = (seconds: number) => Array.from<undefined>({ length: seconds })

it('fills what a feed does not know, as far as the record was read, and leaves what it knows', () => {
  const recent = new Recent(history, 0)
  expect(recent.fill([...unknown(9), 7], 110_900, ['sent'])).toEqual([
    ...[0, 0, 0, 2, 0, 0, 0, 0, undefined],
    7,
  ])
  expect(recent.fill(unknown(4), 105_000, ['failed', 'released'])).toEqual([0, 0, 2, 0])
  expect(recent.fill(unknown(4), 105_000, ['sent'], 'mail')).toEqual([0, 0, 1, 0])
  expect(recent.fill(unknown(4), 105_000, ['sent'], 'idle')).toEqual([0, 0, 0, 0])
})

it('knows nothing of what was before the record', () => {
  const recent = new Recent({ ...history, known: { from: 103_000, to: 108_300 } }, 0)
  expect(recent.fill(unknown(4), 105_000, ['sent'])).toEqual([undefined, undefined, 2, 0])
})

it('reaches a feed that began once the record was read up to there', () => {
  const recent = new Recent(history, 0)
  expect(recent.covers(107_500)).toBe(true)
  expect(recent.covers(108_100)).toBe(false)
})

it('counts by the reader’s clock, however far that is from the engine’s', () => {
  const recent = new Recent(history, 60_020)
  expect(recent.fill(unknown(4), 165_000, ['sent'])).toEqual([0, 0, 2, 0])
  expect(recent.covers(167_500)).toBe(true)
})
