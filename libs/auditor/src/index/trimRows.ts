import type { DatabaseSync } from 'node:sqlite'
import { limits } from '../limits.ts'

/** Removes what the log no longer holds of a partition: final messages, touches, values in bodies and acts up to a sequence. */
export const trimRows = (database: DatabaseSync, partition: number, upTo: number): void => {
  const streams = database
    .prepare(
      'SELECT s.id AS id, s.queue AS queue FROM streams s JOIN queues q ON q.id = s.queue WHERE q.partition = ?',
    )
    .all(partition) as { id: number; queue: number }[]
  const after = database.prepare(
    'SELECT number FROM messages WHERE stream = ? AND sent_seq > ? ORDER BY number LIMIT 1',
  )
  const drop = database.prepare(
    'DELETE FROM messages WHERE stream = ? AND number < ? AND state >= 5 AND seq <= ?',
  )
  const untouch = database.prepare(
    'DELETE FROM touches WHERE queue = ? AND bucket BETWEEN 0 AND ? AND seq <= ?',
  )
  for (const { id, queue } of streams) {
    const below = (after.get(id, upTo)?.['number'] as number | undefined) ?? Number.MAX_SAFE_INTEGER
    drop.run(id, below, upTo)
    untouch.run(queue, Math.floor(below / limits.bucketMessages), upTo)
  }
  database
    .prepare(
      `DELETE FROM fields WHERE queue IN (SELECT id FROM queues WHERE partition = ?) AND NOT EXISTS
        (SELECT 1 FROM streams s JOIN messages m ON m.stream = s.id AND m.number = fields.number
          WHERE s.queue = fields.queue)`,
    )
    .run(partition)
  database.prepare('DELETE FROM acts WHERE partition = ? AND seq <= ?').run(partition, upTo)
}
