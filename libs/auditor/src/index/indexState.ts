import { existsSync } from 'node:fs'
import type { AuditedLog } from '../AuditedLog.ts'
import { WriterLock } from '../WriterLock.ts'
import { auditFolder } from '../auditFolder.ts'
import { lagOf } from './lagOf.ts'
import { openKeptIndex } from './openIndex.ts'
import { reachedOf } from './searchIndex.ts'

/** The state of a data folder's index; undefined if there is none. */
export const indexState = async (
  audited: Pick<AuditedLog, 'log' | 'dataDir'>,
): Promise<{ readonly isFollowed: boolean; readonly behind: number } | undefined> => {
  const { log, dataDir } = audited
  const index = openKeptIndex(audited)
  if (index === undefined) return undefined
  const lags = await lagOf(log, reachedOf(index)).finally(() => index.close())
  return {
    isFollowed: isFollowed(auditFolder(dataDir, log.meta.incarnation)),
    behind: lags.reduce((sum, { behind }) => sum + behind, 0),
  }
}

/** Whether an auditor holds the lock of a folder. */
export const isFollowed = (folder: string): boolean => {
  if (!existsSync(folder)) return false
  const lock = WriterLock.take(folder)
  lock?.release()
  return lock === undefined
}
