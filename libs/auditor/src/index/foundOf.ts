import type { FoundMessage, Passed, Seen } from '@kiroku/audit'
import { messageId, stateNames } from '@kiroku/protocol'
import { parsePassed } from './passedText.ts'

/** A row of the database. */
export interface MessageRow {
  readonly stream: number
  readonly number: number
  readonly at: number
  readonly [column: string]: unknown
}

/** What a search reads of a message, from `messages m`. */
export const rowColumns = `
  m.stream, m.number, m.state, m.attempt, m.at, m.seq, m.sent_at, m.sent_seq, m.attributes, m.origin, m.redrives, m.next,
  s.name AS subscription, s.sub, q.partition, q.queue AS queueId, q.name AS queue,
  (SELECT text FROM texts WHERE id = m.reason) AS reason, e.text AS error, e.fingerprint,
  (SELECT text FROM texts WHERE id = m.grp) AS grp, (SELECT text FROM texts WHERE id = m.tag) AS tag,
  (SELECT text FROM texts WHERE id = m.passed) AS passed,
  (SELECT text FROM texts WHERE id = m.consumer) AS consumer, (SELECT text FROM texts WHERE id = m.producer) AS producer`

export const rowTables = `
  messages m CROSS JOIN streams s ON s.id = m.stream CROSS JOIN queues q ON q.id = s.queue
  LEFT JOIN errors e ON e.id = m.error`

/** The id of a message by its place: its own unless it was forwarded. */
export const placeIdOf = (row: MessageRow, incarnation: string): string =>
  messageId({
    incarnation,
    partition: row['partition'] as number,
    queue: row['queueId'] as number,
    number: row.number,
  })

/** The queues that a message passed: where it came from, where it is, and where it went next. */
export const passedOf = (row: MessageRow): Passed => {
  const { queues, isWhole } = parsePassed((row['passed'] as string | null) ?? '')
  const next = parsePassed(((row['next'] as string | null) ?? '').replace(/\/\d+$/, ''))
  const own = { partition: row['partition'] as number, queue: row['queueId'] as number }
  return { queues: [own, ...queues, ...next.queues], isWhole }
}

/** A row as somebody sees it. */
export const foundOf = (row: MessageRow, incarnation: string, { hidden, shows }: Seen): FoundMessage => {
  const text = (column: string): string => (row[column] as string | null) ?? ''
  const count = (column: string): number => row[column] as number
  const attributes = text('attributes')
  return {
    messageId: text('origin') || placeIdOf(row, incarnation),
    partition: count('partition'),
    queue: text('queue'),
    subscription: text('subscription'),
    number: row.number,
    state: stateNames[count('state')]!,
    attempt: count('attempt'),
    reason: text('reason'),
    error: shows.errors ? text('error') : '',
    fingerprint: shows.errors ? text('fingerprint') : '',
    group: text('grp'),
    tag: text('tag'),
    consumer: text('consumer'),
    producer: text('producer'),
    attributes:
      attributes === '' || !shows.attributes ? {} : (JSON.parse(attributes) as Record<string, string>),
    redrives: count('redrives'),
    sentAt: count('sent_at'),
    sentSeq: count('sent_seq'),
    at: row.at,
    seq: count('seq'),
    ...(hidden === undefined ? {} : { hidden }),
  }
}
