import { mkdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { KirokuError } from '@kiroku/protocol'

/**
 * The right to write in an audit folder, held by one process at a time. It ends with its process, however
 * that ends: it is SQLite's lock on an empty database.
 */
export class WriterLock {
  readonly #database: DatabaseSync

  private constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Takes the lock of `folder`, creating the folder if needed; undefined while another process holds it. */
  static take(folder: string): WriterLock | undefined {
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'writer.lock')
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new KirokuError('InvalidConfig', `${file} is a folder, where Kiroku keeps a file: move it away`)
    const database = new DatabaseSync(file, { timeout: 0 })
    try {
      database.exec('BEGIN EXCLUSIVE')
      return new WriterLock(database)
    } catch (e) {
      database.close()
      const { errcode } = e as { errcode?: number }
      if (errcode === sqliteBusy) return undefined
      if (errcode !== sqliteNotADatabase) throw e
      // Damaged, and held by nobody, or that would have been said first. An empty file is a lock; another one in its place
      // would be two.
      truncateSync(file)
      return WriterLock.take(folder)
    }
  }

  release(): void {
    this.#database.close()
  }
}

const sqliteBusy = 5
const sqliteNotADatabase = 26
