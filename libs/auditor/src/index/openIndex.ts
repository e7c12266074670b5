import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { OnProgress } from '@kiroku/audit'
import type { AuditedLog } from '../AuditedLog.ts'
import { auditFolder } from '../auditFolder.ts'
import { openIndexToRead, openIndexToWrite } from './IndexDatabase.ts'
import { IndexFollower } from './IndexFollower.ts'
import { IndexWriter } from './IndexWriter.ts'

/** An index that can be queried. */
export interface OpenedIndex {
  readonly database: DatabaseSync
  /** Whether an auditor keeps it on disk; otherwise it was built for this query. */
  readonly isKept: boolean
}

/** The auditor's index of a log in a data folder, to read; undefined if there is none. */
export const openKeptIndex = ({
  log,
  dataDir,
}: Omit<AuditedLog, 'decodeCheckpoint'>): DatabaseSync | undefined =>
  openIndexToRead(auditFolder(dataDir, log.meta.incarnation))

/**
 * Opens the auditor's index, or reads the whole record into one in memory. Errors: those of reading the log.
 */
export const openIndex = async (audited: AuditedLog, onProgress: OnProgress): Promise<OpenedIndex> => {
  const kept = openKeptIndex(audited)
  if (kept !== undefined) return { database: kept, isKept: true }
  const writer = new IndexWriter(openIndexToWrite(undefined))
  await readInto(writer, audited, onProgress)
  return { database: writer.database, isKept: false }
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
      pause: () => {
        writer.sweep()
        return nextTick()
      },
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
