import { readFileSync } from 'node:fs'

/** How many files, connections among them, this process may have open; undefined: the system does not say. */
export const openFilesMax = (): number | undefined => {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}
