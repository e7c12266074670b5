import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { schema, schemaVersion } from './schema.ts'

/** Path of the index; without a folder it is in memory. */
const fileOf = (folder: string): string => join(folder, 'index.sqlite')

const pragmas = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -65536;
PRAGMA wal_autocheckpoint = 4000;
`

/**
 * Opens the index in `folder` to write, and creates it if there is none, or one of another version; without a
 * folder it is in memory. The writer must hold the folder's `WriterLock`.
 */
export const openIndexToWrite = (folder: string | undefined): DatabaseSync => {
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true })
    const found = tryOpen(fileOf(folder))
    if (found !== undefined) return found
    removeIndex(folder)
  }
  const database = new DatabaseSync(folder === undefined ? ':memory:' : fileOf(folder))
  database.exec(pragmas)
  database.exec('BEGIN')
  database.exec(schema)
  database.prepare('INSERT INTO meta VALUES (?, ?)').run('version', String(schemaVersion))
  database.exec('COMMIT')
  return database
}

/** Opens the index in `folder` to read, alongside the writer; undefined if there is none of this version. */
export const openIndexToRead = (folder: string): DatabaseSync | undefined => {
  if (!existsSync(fileOf(folder))) return undefined
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(fileOf(folder), { readOnly: true, timeout: readTimeoutMs })
    if (versionOf(database) === schemaVersion) return database
  } catch {
    // A file that is not an index counts as none: it can be rebuilt.
  }
  database?.close()
  return undefined
}

/** Removes the index; the next writer rebuilds it. */
export const removeIndex = (folder: string): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(fileOf(folder) + end, { recursive: true, force: true })
}

const readTimeoutMs = 5_000

const tryOpen = (file: string): DatabaseSync | undefined => {
  if (!existsSync(file)) return undefined
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file)
    database.exec(pragmas)
    if (versionOf(database) === schemaVersion) return database
  } catch {
    // Damaged: it is rebuilt.
  }
  database?.close()
  return undefined
}

const versionOf = (database: DatabaseSync): number => {
  const row = database.prepare("SELECT value FROM meta WHERE key = 'version'").get()
  return Number(row?.['value'])
}
