import { DatabaseSync } from 'node:sqlite'

const sqliteBusy = 5

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
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error
    return undefined
  }
}
