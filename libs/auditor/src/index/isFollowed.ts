import { existsSync } from 'node:fs'
import { WriterLock } from '../WriterLock.ts'

/** Whether an auditor holds the lock of a folder. */
export const isFollowed = (folder: string): boolean => {
  if (!existsSync(folder)) return false
  const lock = WriterLock.take(folder)
  lock?.release()
  return lock === undefined
}
