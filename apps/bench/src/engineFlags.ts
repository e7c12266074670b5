import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownRoot } from './LoadProcess.ts'

/** The script that starts engines, in a checkout. */
export const launcherOf = (root: string): string => join(root, 'apps/kiroku/bin/kiroku.mjs')

/** The flags of Node that a checkout's launcher gives its engines, for those that are started without it. */
export const engineFlags = (root = ownRoot): readonly string[] =>
  readFileSync(launcherOf(root), 'utf8').match(/--(max|min)-semi-space-size=\d+/g) ?? []
