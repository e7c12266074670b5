import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

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
    const database = new DatabaseSync(join(folder, 'writer.lock'), { timeout: 0 })
    try {
      database.exec('BEGIN EXCLUSIVE')
      return new WriterLock(database)
    } catch (e) {
      database.close()
      if ((e as { errcode?: number }).errcode === sqliteBusy) return undefined
      throw e
    }
  }

  release(): void {
    this.#database.close()
  }
}

const sqliteBusy = 5
