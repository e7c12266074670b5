import { truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const sqliteBusy = 5
const sqliteNotADatabase = 26

/**
 * Takes the lock that `file` stands for, across all processes; the file is made when missing and stays.
 *
 * @returns what frees the lock, or undefined while another process holds it
 */
export const takeLock = (file: string): (() => void) | undefined => {
  // The system frees SQLite's lock when its process dies, in whatever way: it cannot become stale.
  const lock = new DatabaseSync(file)
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return () => lock.close()
  } catch (error) {
    lock.close()
    const { errcode } = error as { errcode?: number }
    if (errcode === sqliteBusy) return undefined
    if (errcode !== sqliteNotADatabase) throw error
    // Damaged, and held by nobody, or that would have been said first. An empty file is a lock; another one in its place would be two.
    truncateSync(file)
    return takeLock(file)
  }
}
