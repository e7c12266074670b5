import { isReplyQueue, sumCounts } from '@kiroku/protocol'
import type { Tally } from '../../data/QueueActivity.ts'
import type { QueueRow } from './QueueRow.ts'

/** What the names of all reply queues contain, so that a filter by it shows each. */
export const replyQueueText = 'replies-'

/** Folds the reply queues that older clients create per requester into one row. */
export const foldReplies = (rows: readonly QueueRow[]): readonly QueueRow[] => {
  const replies = rows.filter(({ name }) => isReplyQueue(name))
  if (replies.length === 0) return rows
  const tally = replies.map((row) => row.tally).reduce(sumTallies)
  const ages = replies.flatMap(({ oldestAgeMs }) => oldestAgeMs ?? [])
  return [
    ...rows.filter(({ name }) => !isReplyQueue(name)),
    {
      name: `reply queues (${replies.length})`,
      folded: replies.length,
      counts: replies.map(({ counts }) => counts).reduce(sumCounts),
      tally,
      outlook: { kind: 'quiet', text: '' },
      isPaused: replies.every(({ isPaused }) => isPaused),
      isLetterQueue: false,
      ...(ages.length === 0 ? {} : { oldestAgeMs: Math.max(...ages) }),
    },
  ]
}

const sumTallies = (a: Tally, b: Tally): Tally => ({
  sent: a.sent + b.sent,
  delivered: a.delivered + b.delivered,
  redelivered: a.redelivered + b.redelivered,
  committed: a.committed + b.committed,
  deadLettered: a.deadLettered + b.deadLettered,
  discarded: a.discarded + b.discarded,
  waiting: a.waiting + b.waiting,
})
