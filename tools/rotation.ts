import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { root } from './runTarget.ts'
import type { Turns } from './Stage.ts'

/** Older commits have been checked by their own runs. */
const commitsMax = 10

const git = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .filter((line) => line !== '')

const textAt = (commit: string, file: string): string => {
  try {
    return execFileSync('git', ['show', `${commit}:${file}`], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return ''
  }
}

/** What this checkout changed of late, and what it is. */
export interface Lately {
  readonly commit: string
  /** How many commits were examined. */
  readonly commits: number
  /** From the root; what is not committed yet is among them. */
  readonly files: ReadonlySet<string>
  /** What a file contained before that; empty where there was none. */
  readonly before: (file: string) => string
}

/** What the last commits and the working tree changed; undefined where git knows no earlier commit to compare with. */
export const lately = (): Lately | undefined => {
  try {
    // A shallow clone ends where its history does.
    const known = git('rev-list', '--first-parent', `--max-count=${commitsMax + 1}`, 'HEAD')
    const [commit = ''] = known
    const base = known.at(-1)!
    if (known.length < 2) return undefined
    const files = [
      ...git('diff', '--no-renames', '--name-only', base),
      ...git('ls-files', '--others', '--exclude-standard'),
    ]
    return { commit, commits: known.length - 1, files: new Set(files), before: (file) => textAt(base, file) }
  } catch {
    return undefined
  }
}

/** One part of `parts` of the names, by the commit: other commits, other parts. */
export const partOf = (
  names: ReadonlyArray<string>,
  parts: number,
  commit: string,
): ReadonlyArray<string> => {
  const turn = createHash('sha256').update(commit).digest().readUInt32BE() % parts
  return names.filter((_, index) => index % parts === turn)
}

/** The test files whose turn it is: what changed of late, and a part of the others; all of them where a change concerns them. */
export const inTurn = (
  files: ReadonlyArray<string>,
  { concerns, parts }: Pick<Turns, 'concerns' | 'parts'>,
  late: Lately | undefined,
): ReadonlyArray<string> => {
  if (late === undefined) return files
  if ([...late.files].some((file) => concerns.some((place) => file.startsWith(place)))) return files
  const part = new Set(partOf(files, parts, late.commit))
  return files.filter((file) => part.has(file) || late.files.has(file))
}
