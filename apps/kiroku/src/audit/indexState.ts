import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { auditFolder, reachedOf, WriterLock } from '@kiroku/audit-store'
import type { Log } from '@kiroku/log'
import { lagOf } from './lagOf.ts'
import { openKeptIndex } from './openIndex.ts'

/** How the index of a data folder stands; undefined where there is none. */
export const indexState = async (
  log: Log,
  dataDir: string,
): Promise<{ readonly isFollowed: boolean; readonly behind: number } | undefined> => {
  const index = openKeptIndex(log, dataDir)
  if (index === undefined) return undefined
  const lags = await lagOf(log, reachedOf(index)).finally(() => index.close())
  return {
    isFollowed: isFollowed(auditFolder(resolve(dataDir), log.meta.incarnation)),
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
