import type { DatabaseSync } from 'node:sqlite'
import type { AskedStretch, History } from '@kiroku/audit'
import type { Log } from '@kiroku/log'
import { partitionOf } from '@kiroku/protocol'
import { partitionsOf, readHistory } from './readHistory.ts'

/**
 * What happened, according to the index. The end of the log is read first, so that the answer claims no more
 * than it knows. A partition that cannot be followed delays the others no longer than it takes to find that
 * out. Errors: those of the log.
 */
export const historyOf = async (
  log: Log,
  database: DatabaseSync,
  asked: AskedStretch,
  isFollowed: (partition: number) => boolean,
): Promise<History> => {
  const { partitions: count } = log.meta
  const looked =
    asked.queue === undefined
      ? Array.from({ length: count }, (_, n) => n)
      : [...new Set([partitionOf(asked.queue, count), ...partitionsOf(database, asked.queue)])]
  const followed = looked.filter(isFollowed)
  const now = Date.now()
  const ends = await Promise.all(
    (followed.length > 0 ? followed : looked).map(async (n) => [n, await lastSeqOf(log, n)] as const),
  )
  return readHistory(database, asked, { now, lastSeqs: new Map(ends) })
}

/** Of a missing partition only what was read is known. */
const lastSeqOf = async (log: Log, n: number): Promise<number> => {
  const partition = await log.partition(n).catch(() => undefined)
  if (partition === undefined) return Number.MAX_SAFE_INTEGER
  try {
    return (await partition.state()).lastSeq
  } finally {
    await partition.close()
  }
}
