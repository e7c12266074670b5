import {
  parseActFilter,
  parseFilter,
  parseSpan,
  questionLimits,
  type ActFilter,
  type AskedStretch,
  type RecordQuestions,
} from '@kiroku/audit'
import { KirokuError } from '@kiroku/protocol'
import { given } from '../given.ts'
import { parseCount } from './parseCount.ts'
import { queryText, type QueryTexts } from './QueryText.ts'

const { searchMessagesMax, historyBucketsMax } = questionLimits

/** Parameters of a search. */
export const searchQuery = {
  q: queryText('The filter, like `state:dlq queue:mail since:24h`; default: all messages'),
  limit: queryText(`Most messages, 1 to ${searchMessagesMax}; default 50`),
  cursor: queryText(
    '`cursor` of the previous answer, to continue from; an answer with a cursor may hold fewer messages than `limit`, or none',
  ),
}

/** Which messages are searched for. Errors: `InvalidFilter`, `InvalidArgument`. */
export const searchQuestion = (
  { q = '', limit, cursor }: QueryTexts<typeof searchQuery>,
  nowMs: number,
): RecordQuestions['search']['asked'] => ({
  filter: parseFilter(q, nowMs),
  ...given({
    limit: limit === undefined ? undefined : parseCount(limit, 'limit', 1, searchMessagesMax),
    cursor,
  }),
})

/** Parameters of a list of acts. */
export const actsQuery = {
  queue: queryText('Only of this queue'),
  actor: queryText('Only by this actor'),
  since: queryText('Since a time in UTC like 2026-11-20T14:00, or how long ago, like 24h'),
  until: queryText('Up to such a time, included'),
}

/** The requested acts. Errors: `InvalidArgument`. */
export const actsQuestion = (query: QueryTexts<typeof actsQuery>, nowMs: number): ActFilter =>
  parseActFilter(query, nowMs)

const historyDefaults = { from: '15m', buckets: 90 }

/** Parameters of a history. */
export const historyQuery = {
  queue: queryText('Of this queue; default: all queues together'),
  from: queryText(
    `Since a time in UTC like 2026-11-20T14:00, or how long ago, like 24h; default ${historyDefaults.from}`,
  ),
  to: queryText('Up to such a time; default: now'),
  buckets: queryText(
    `Most buckets of equal length, 1 to ${historyBucketsMax}; default ${historyDefaults.buckets}`,
  ),
  by: queryText('`queue`: also per queue, busiest first'),
}

/** The requested range and resolution of history. Errors: `InvalidArgument`. */
export const historyQuestion = (
  { queue, from = historyDefaults.from, to, buckets, by }: QueryTexts<typeof historyQuery>,
  nowMs: number,
): AskedStretch => {
  const asked = {
    ...given({ queue }),
    from: timeOf('from', from, nowMs),
    to: to === undefined ? nowMs : timeOf('to', to, nowMs),
    buckets:
      buckets === undefined ? historyDefaults.buckets : parseCount(buckets, 'buckets', 1, historyBucketsMax),
    byQueue: by === 'queue',
  }
  if (asked.from >= asked.to) throw new KirokuError('InvalidArgument', '"from" must be earlier than "to"')
  if (by !== undefined && by !== 'queue')
    throw new KirokuError('InvalidArgument', `by: "${by.slice(0, 60)}" is not "queue"`)
  return asked
}

const timeOf = (name: string, text: string, nowMs: number): number => {
  const span = parseSpan(text, nowMs)
  if (span !== undefined && span.from >= 0) return Math.min(span.from, nowMs)
  throw new KirokuError(
    'InvalidArgument',
    `${name}: "${text.slice(0, 60)}" is neither a time like 2026-11-20T14:00 (UTC) nor a duration ago like 24h`,
  )
}
