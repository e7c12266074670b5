import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from './Figure.ts'
import { Progress } from './Progress.ts'

/** What every part of a benchmark gets. */
export interface Part {
  readonly progress: Progress
  /** An empty folder, removed in the end. */
  readonly folder: () => Promise<string>
}

/**
 * Runs the parts of a benchmark one after the other. Errors: there is no part of such a name.
 *
 * @param only names of those to run; all of them when empty
 * @param beside what they get in addition
 */
export const runParts = async <A extends object>(
  parts: Readonly<Record<string, (bench: A & Part) => Promise<Figure[]>>>,
  only: readonly string[],
  beside: A,
): Promise<Figure[]> => {
  const unknown = only.find((part) => !Object.hasOwn(parts, part))
  if (unknown !== undefined)
    throw new Error(`there is no part "${unknown}", but ${Object.keys(parts).join(', ')}`)
  const progress = new Progress()
  const folders: string[] = []
  const folder = async (): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), 'kiroku-bench-'))
    folders.push(path)
    return path
  }
  const figures: Figure[] = []
  try {
    for (const [part, run] of Object.entries(parts))
      if (only.length === 0 || only.includes(part))
        figures.push(...(await run({ ...beside, progress, folder })))
    return figures
  } finally {
    progress.end()
    for (const path of folders) await rm(path, { recursive: true, force: true })
  }
}
