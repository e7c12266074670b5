import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import {
  tallyFields,
  type AskedStretch,
  type History,
  type HistoryAct,
  type HistoryBucket,
} from '@kiroku/audit'
import { actsOf } from '../index/actsOf.ts'
import { grantedQueues } from '../index/grantedQueues.ts'
import { limits } from '../limits.ts'
import { tiers } from './tiers.ts'

/** The state of a log at the time of the question. Times are ms since 1970. */
export interface LogEnds {
  readonly now: number
  /** The last record of each partition in question. */
  readonly lastSeqs: ReadonlyMap<number, number>
}

type Rows = readonly Readonly<Record<string, SQLOutputValue>>[]

const sums = tallyFields.map((field) => `sum(h.${field}) AS ${field}`).join(', ')

/** What happened to one queue or to all, and per queue if requested: from the counts in the index. */
export const readHistory = (database: DatabaseSync, asked: AskedStretch, ends: LogEnds): History => {
  const { stepMs, bucketMs, from, to } = layoutOf(asked, ends.now)
  const bucket = `h.slot * ${stepMs} / ${bucketMs}`
  // No more than requested: a view of a moment must not show anything later.
  const range = [stepMs, Math.max(1, Math.floor(from / stepMs)), Math.ceil(asked.to / stepMs)] as const
  const read = (sql: string, ...values: (string | number)[]): Rows => database.prepare(sql).all(...values)
  const granted = grantedQueues(asked.grants)
  const [chosen, ...names] =
    asked.queue !== undefined
      ? (["q.name = ? AND q.name <> ''", asked.queue] as const)
      : granted === undefined
        ? (['q.queue = 0'] as const)
        : ([granted.sql, ...granted.parameters] as const)
  // From the few queues to their slots, never the other way round.
  const slots =
    'FROM queues q CROSS JOIN history h ON h.step = ? AND h.queue = q.id AND h.slot >= ? AND h.slot < ?'
  /** Messages waiting at a time: those waiting where the counts begin, plus the growth since. */
  const waitingAt = (at: number): number => {
    const { stepMs: wideMs } = tiers.at(-1)!
    const wide = Math.floor(at / wideMs)
    const sum = (step: number, begin: number, end: number): number =>
      read(`SELECT total(h.waiting) AS waiting ${slots} WHERE ${chosen}`, step, begin, end, ...names)[0]![
        'waiting'
      ] as number
    return sum(wideMs, 0, wide) + (stepMs < wideMs ? sum(stepMs, (wide * wideMs) / stepMs, at / stepMs) : 0)
  }
  const rows = read(
    `SELECT ${bucket} AS bucket, ${sums} ${slots} WHERE ${chosen} GROUP BY bucket ORDER BY bucket`,
    ...range,
    ...names,
  )
  const answer = {
    ...{ from, to, bucketMs, now: ends.now },
    known: knownOf(database, ends),
    buckets: rows.map((row) => bucketOf(row, bucketMs)),
    waitingBefore: waitingAt(from),
    acts: actsIn(database, asked),
  }
  if (!asked.byQueue) return answer
  const most = Math.max(1, Math.floor(limits.historyCellsMax / ((to - from) / bucketMs)))
  const busiest = read(
    `SELECT q.name AS name, sum(h.sent + h.delivered + h.committed + h.failed + h.discarded) AS changes ${slots}
      WHERE ${granted?.sql ?? "q.name <> ''"} GROUP BY q.name ORDER BY changes DESC, name`,
    ...range,
    ...(granted?.parameters ?? []),
  )
  return {
    ...answer,
    queues: busiest.slice(0, most).map(({ name }) => ({
      queue: name as string,
      buckets: read(
        `SELECT ${bucket} AS bucket, ${sums} ${slots} WHERE q.name = ? GROUP BY bucket ORDER BY bucket`,
        ...range,
        name as string,
      ).map((row) => bucketOf(row, bucketMs)),
    })),
    queuesTotal: busiest.length,
  }
}

/**
 * The tier that is fine enough and holds the beginning, and whole buckets of its slots around the requested
 * span.
 */
const layoutOf = ({ from, to, buckets }: AskedStretch, now: number) => {
  const wantedMs = (to - from) / buckets
  // Messages waiting at its beginning are counted from the last slot of the widest tier before it.
  const held = tiers.filter(({ keptMs }) => from - tiers.at(-1)!.stepMs >= now - keptMs)
  const { stepMs } = held.findLast((tier) => tier.stepMs <= wantedMs) ?? held[0]!
  const bucketMs = Math.ceil(wantedMs / stepMs) * stepMs
  return {
    stepMs,
    bucketMs,
    from: Math.floor(from / bucketMs) * bucketMs,
    to: Math.ceil(to / bucketMs) * bucketMs,
  }
}

const actsIn = (database: DatabaseSync, { queue, from, to, grants }: AskedStretch): HistoryAct[] =>
  actsOf(
    database,
    {
      since: from,
      until: to,
      ...(queue === undefined ? {} : { queue }),
      ...(grants === undefined ? {} : { grants }),
    },
    limits.historyActsMax,
  ).map(({ at, partition, seq, event, queue: name, by }) => ({ at, partition, seq, event, queue: name, by }))

/** Counts that are zero are left out. */
const bucketOf = (row: Rows[number], bucketMs: number): HistoryBucket => ({
  at: (row['bucket'] as number) * bucketMs,
  ...Object.fromEntries(
    tallyFields.flatMap((field) => (row[field] === 0 ? [] : [[field, row[field] as number] as const])),
  ),
})

/** A partition whose last record was read is known up to now, however long ago that was written. */
const knownOf = (database: DatabaseSync, { now, lastSeqs }: LogEnds): History['known'] => {
  const rows = database.prepare('SELECT partition, seq, at, known_from AS knownFrom FROM reached').all()
  const reached = new Map(
    (rows as unknown as { partition: number; seq: number; at: number; knownFrom: number }[]).map(
      (row) => [row.partition, row] as const,
    ),
  )
  let known = { from: 0, to: now }
  for (const [partition, lastSeq] of lastSeqs) {
    const { seq, at, knownFrom } = reached.get(partition) ?? { seq: 0, at: 0, knownFrom: 0 }
    known = {
      from: Math.max(known.from, knownFrom),
      to: Math.min(known.to, seq >= lastSeq ? now : at),
    }
  }
  return known
}

/** Partitions that hold a queue, as far as the index has read. */
export const partitionsOf = (database: DatabaseSync, queue: string): number[] =>
  database
    .prepare('SELECT DISTINCT partition FROM queues WHERE name = ?')
    .all(queue)
    .map((row) => row['partition'] as number)
