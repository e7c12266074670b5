import type { DatabaseSync } from 'node:sqlite'
import type { AskedStretch, History } from '@kiroku/audit'
import { partitionsOf, readHistory } from '@kiroku/audit-store'
import type { Log } from '@kiroku/log'
import { partitionOf } from '@kiroku/partition'

/** What happened, by the index; where the log ends is asked first, so that the answer claims no more than it knows. */
export const historyOf = async (log: Log, database: DatabaseSync, asked: AskedStretch): Promise<History> => {
  const { partitions: count } = log.meta
  const looked =
    asked.queue === undefined
      ? Array.from({ length: count }, (_, n) => n)
      : new Set([partitionOf(asked.queue, count), ...partitionsOf(database, asked.queue)])
  const now = Date.now()
  const ends = await Promise.all([...looked].map(async (n) => [n, await lastSeqOf(log, n)] as const))
  return readHistory(database, asked, { now, lastSeqs: new Map(ends) })
}

const lastSeqOf = async (log: Log, n: number): Promise<number> => {
  const partition = await log.partition(n)
  try {
    return (await partition.state()).lastSeq
  } finally {
    await partition.close()
  }
}
