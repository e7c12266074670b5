import { noCounts } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { noActivity } from '../../data/QueueActivity.ts'
import type { QueueRow } from './QueueRow.ts'
import { foldReplies } from './foldReplies.ts'

const row = (name: string, available: number, oldestAgeMs?: number): QueueRow => ({
  name,
  counts: { ...noCounts, available },
  tally: { ...noActivity, sent: available },
  outlook: { kind: 'growing', text: '+1/s' },
  isPaused: false,
  isLetterQueue: false,
  ...(oldestAgeMs === undefined ? {} : { oldestAgeMs }),
})
const own = (digit: number): string => `replies-0000000${digit}-0000-4000-8000-000000000000`

it('reply queues of one requester each are one row, with what all of them hold', () => {
  const rows = foldReplies([row('mail', 9), row(own(1), 2, 500), row('replies', 4), row(own(2), 3)])
  expect(rows.map(({ name }) => name)).toEqual(['mail', 'replies', 'reply queues (2)'])
  expect(rows[2]).toMatchObject({
    folded: 2,
    counts: { available: 5 },
    tally: { sent: 5 },
    oldestAgeMs: 500,
    outlook: { kind: 'quiet' },
  })
})

it('where there is none, the rows stay as they are', () => {
  const rows = [row('mail', 1), row('replies', 0)]
  expect(foldReplies(rows)).toBe(rows)
})
