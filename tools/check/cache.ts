import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../runTarget.ts'

/** Where the quick check remembers what passed; git ignores it. */
const cacheFolder = path.join(root, 'node_modules', '.cache', 'kiroku')

/** Reads what was remembered under a name; `otherwise` when there is nothing, or nothing readable. */
export const readCache = <A>(name: string, otherwise: A): A => {
  try {
    return JSON.parse(readFileSync(path.join(cacheFolder, `${name}.json`), 'utf8')) as A
  } catch {
    return otherwise
  }
}

/** Remembers a value under a name; readers see the old value or the new one, never a part. */
export const writeCache = (name: string, value: unknown): void => {
  mkdirSync(cacheFolder, { recursive: true })
  const file = path.join(cacheFolder, `${name}.json`)
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(value))
  renameSync(`${file}.${process.pid}`, file)
}

const hashes = new Map<string, string>()

/** A digest of a file of the workspace, read once per process. */
const hashOf = (file: string): string => {
  const known = hashes.get(file)
  if (known !== undefined) return known
  const hash = createHash('sha256')
    .update(readFileSync(path.join(root, file)))
    .digest('base64')
  hashes.set(file, hash)
  return hash
}

/** A key that changes with any of the files and words, with the packages that are installed, and with Node. */
export const keyOf = (files: Iterable<string>, words: ReadonlyArray<string> = []): string => {
  // npm's own list of what it installed, which may differ from what the lockfile asks for.
  const installed = hashOf('node_modules/.package-lock.json')
  const key = createHash('sha256').update(`${process.version}\n${installed}\n`)
  for (const file of [...files].toSorted()) key.update(`${file}\n${hashOf(file)}\n`)
  for (const word of words) key.update(`${word}\n`)
  return key.digest('base64')
}
