import { execFileSync } from 'node:child_process'

let known: string | undefined

/** Hash of the commit that is checked out; of no commit, where there is none. */
export const commit = (): string => {
  known ??= ((): string => {
    try {
      return execFileSync('git', ['rev-parse', 'HEAD'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim()
    } catch {
      return '0'.repeat(40)
    }
  })()
  return known
}

/** The first of the seeds that belong to a commit. */
export const seedOf = (hash: string): number => 1 + Number.parseInt(hash.slice(0, 7), 16)
