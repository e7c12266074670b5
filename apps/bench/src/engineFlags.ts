import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ownRoot } from './LoadProcess.ts'

/** The script that starts engines, in a checkout. */
export const launcherOf = (root: string): string => join(root, 'apps/kiroku/bin/kiroku.mjs')

/** The flags of Node that a checkout's launcher gives its engines, for those that are started without it. */
export const engineFlags = (root = ownRoot): readonly string[] => {
  const launcher = readFileSync(launcherOf(root), 'utf8')
  // The last two are those for machines with enough memory.
  const sizes = launcher.match(/--(max|min)-semi-space-size=\d+/g)?.slice(-2) ?? []
  // As the launcher works it out, where it does.
  const helpers = Math.min(4, Math.max(1, availableParallelism() - 1))
  return launcher.includes('--v8-pool-size=') ? [...sizes, `--v8-pool-size=${helpers}`] : sizes
}

/** What a checkout's launcher adds to the environment of its engines, for those that are started without it. */
export const engineEnv = (root = ownRoot): Readonly<Record<string, string>> => {
  const [tunable] = /glibc\.malloc\.hugetlb=\d/.exec(readFileSync(launcherOf(root), 'utf8')) ?? []
  return tunable === undefined ? {} : { GLIBC_TUNABLES: tunable }
}
