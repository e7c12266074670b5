import type { History } from '@kiroku/audit'
import { expect, it } from 'vitest'
import { queueChanges, totalOf } from './queueChanges.ts'

const act = (queue: string) =>
  ({
    at: 1_000,
    partition: 0,
    seq: 1,
    event: 'QueueConfigured',
    queue,
    by: { name: 'ann', origin: 'cli' },
  }) as const
const history: History = {
  ...{ from: 0, to: 2_000, bucketMs: 1_000, now: 2_000, known: { from: 0, to: 2_000 } },
  ...{ waitingBefore: 0, buckets: [] },
  acts: [act('mail'), act('mail'), act('quiet'), act('')],
  queues: [
    { queue: 'orders', buckets: [{ at: 0, sent: 5 }] },
    {
      queue: 'mail',
      buckets: [
        { at: 0, sent: 2 },
        { at: 1_000, sent: 1, failed: 3 },
      ],
    },
  ],
}

it('adds up what changed in each queue, busiest first, and queues with only administrative acts last', () => {
  const rows = queueChanges(history)
  expect(rows.map(({ queue, totals, acts }) => [queue, totals.sent, totals.failed, acts])).toEqual([
    ['orders', 5, 0, 0],
    ['mail', 3, 3, 2],
    ['quiet', 0, 0, 1],
  ])
})

it('is empty for an empty history', () => {
  expect(Object.values(totalOf([])).every((n) => n === 0)).toBe(true)
})
