import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises'
import type { OnProgress } from '@kiroku/audit'
import type { AuditedLog } from '../AuditedLog.ts'
import { auditFolder } from '../auditFolder.ts'
import { openIndexToRead, openIndexToWrite } from './IndexDatabase.ts'
import { IndexFollower } from './IndexFollower.ts'
import { IndexWriter } from './IndexWriter.ts'
import { isFollowed } from './isFollowed.ts'
import { type IndexLag, lagOf } from './lagOf.ts'
import { reachedOf } from './searchIndex.ts'

/** An index that can be queried. */
export interface OpenedIndex {
  readonly database: DatabaseSync
  /** The partitions that it is behind, if an auditor keeps it on disk; none if it was built for this query. */
  readonly lags: readonly IndexLag[]
}

/** How often the index is looked at while its auditor catches up, in ms. */
const lookMs = 50

/** The auditor's index of a log in a data folder, to read; undefined if there is none. */
export const openKeptIndex = ({
  log,
  dataDir,
}: Omit<AuditedLog, 'decodeCheckpoint'>): DatabaseSync | undefined =>
  openIndexToRead(auditFolder(dataDir, log.meta.incarnation))

/**
 * Opens the auditor's index, or reads the whole record into one in memory.
 *
 * @param patienceMs how long an auditor that runs may take to catch up with what is in the log now
 * @throws errors of reading the log
 */
export const openIndex = async (
  audited: AuditedLog,
  onProgress: OnProgress,
  patienceMs: number,
): Promise<OpenedIndex> => {
  const kept = openKeptIndex(audited)
  if (kept !== undefined)
    return { database: kept, lags: await catchUp(audited, kept, onProgress, patienceMs) }
  const writer = new IndexWriter(openIndexToWrite(undefined))
  await readInto(writer, audited, onProgress)
  return { database: writer.database, lags: [] }
}

/** Waits while the auditor of an index reads what is in the log now; returns what it still lacks in the end. */
const catchUp = async (
  { log, dataDir }: AuditedLog,
  index: DatabaseSync,
  onProgress: OnProgress,
  patienceMs: number,
): Promise<readonly IndexLag[]> => {
  const untilMs = performance.now() + patienceMs
  let lags = (await lagOf(log, reachedOf(index))).filter(({ behind }) => behind > 0)
  if (lags.length === 0 || !isFollowed(auditFolder(dataDir, log.meta.incarnation))) return lags
  while (lags.length > 0 && performance.now() < untilMs) {
    onProgress({ ...lags[0]!, events: 0 })
    await pause(lookMs)
    const reached = reachedOf(index)
    lags = lags.flatMap((lag) => {
      const seq = reached.find(({ partition }) => partition === lag.partition)?.seq ?? 0
      return seq < lag.lastSeq ? [{ ...lag, seq, behind: lag.lastSeq - seq }] : []
    })
  }
  return lags
}

/** Reads what an index lacks of a log. Returns the number of message changes that it then has. */
export const readInto = async (
  writer: IndexWriter,
  { log, decodeCheckpoint }: AuditedLog,
  onProgress: OnProgress,
): Promise<number> => {
  let before = 0
  for (let partition = 0; partition < log.meta.partitions; partition++) {
    let lastSeq = 0
    const follower = new IndexFollower(partition, {
      log,
      writer,
      decodeCheckpoint,
      pause: () => nextTick(),
      onRecord: (_, seq, events) => onProgress({ partition, seq, lastSeq, events: before + events }),
    })
    try {
      lastSeq = await follower.lastSeq()
      await follower.run(lastSeq)
      before += follower.events
    } finally {
      await follower.close()
    }
  }
  return before
}
