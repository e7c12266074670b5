import type { DatabaseSync } from 'node:sqlite'
import type { TraceIndex } from '@kiroku/audit'
import { limits } from '../limits.ts'

type Stop = Parameters<TraceIndex['framesOf']>[0]
type Found = NonNullable<ReturnType<TraceIndex['framesOf']>>

/** The message index in the form that a trace needs. */
export const traceIndex = (database: DatabaseSync): TraceIndex => ({
  framesOf: (place) => framesOf(database, place),
  sourceOf: (target, { partition, queue, forward }) => {
    const rows = database
      .prepare(
        `SELECT DISTINCT m.number FROM messages m INDEXED BY messages_next JOIN streams s ON s.id = m.stream
          JOIN queues q ON q.id = s.queue WHERE m.next = ? AND q.partition = ? AND q.queue = ?`,
      )
      .all(`${target.partition}/${target.queue}/${forward}`, partition, queue)
    return rows.length === 1 ? (rows[0]!['number'] as number) : undefined
  },
})

const framesOf = (database: DatabaseSync, place: Stop): Found | undefined => {
  const { partition, queue } = place
  const reached = database.prepare('SELECT seq, began FROM reached WHERE partition = ?').get(partition)
  if (reached === undefined) return undefined
  const own = database
    .prepare('SELECT id, name, config FROM queues WHERE partition = ? AND queue = ?')
    .get(partition, queue)
  if (own === undefined) return undefined
  const id = own['id'] as number
  const number = place.number ?? arrivedAs(database, id, place.arrives)
  // It may have arrived before the index began.
  if (number === undefined && (reached['began'] as number) > 0) return undefined
  const seqs = new Set<number>()
  const add = (queueId: number, bucket: number): void => {
    const rows = database
      .prepare('SELECT seq FROM touches WHERE queue = ? AND bucket = ?')
      .all(queueId, bucket)
    for (const row of rows) seqs.add(row['seq'] as number)
  }
  const whole = database.prepare('SELECT id FROM queues WHERE partition = ? AND queue = 0').get(partition)
  if (whole !== undefined) add(whole['id'] as number, -1)
  add(id, -1)
  if (number !== undefined) add(id, Math.floor(number / limits.bucketMessages))
  for (const row of database.prepare('SELECT seq, up_to FROM lost WHERE partition = ?').all(partition))
    for (let seq = row['seq'] as number; seq <= (row['up_to'] as number); seq++) seqs.add(seq)
  const subscriptions = new Map<number, string>()
  for (const row of database.prepare('SELECT sub, name FROM streams WHERE queue = ?').all(id))
    subscriptions.set(row['sub'] as number, row['name'] as string)
  const config = JSON.parse(own['config'] as string) as Found['names'][number]['config']
  return {
    seqs: [...seqs].sort((a, b) => a - b),
    beganSeq: reached['began'] as number,
    reachedSeq: reached['seq'] as number,
    names: [{ queue, name: own['name'] as string, config, subscriptions }],
  }
}

/** The number of a forwarded message where it arrived. */
const arrivedAs = (database: DatabaseSync, queue: number, arrives: Stop['arrives']): number | undefined => {
  if (arrives === undefined) return undefined
  const { from, forward } = arrives
  const row = database
    .prepare(
      `SELECT forward, count, first FROM forwards
        WHERE queue = ? AND from_partition = ? AND from_queue = ? AND forward <= ? ORDER BY forward DESC LIMIT 1`,
    )
    .get(queue, from.partition, from.queue, forward) as
    | { forward: number; count: number; first: number }
    | undefined
  if (row === undefined || forward >= row.forward + row.count) return undefined
  return row.first + forward - row.forward
}
