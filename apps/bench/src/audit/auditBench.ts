import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from '../Figure.ts'
import { Progress } from '../Progress.ts'
import { besideLoad } from './besideLoad.ts'
import { besideReaders } from './besideReaders.ts'
import { fillIndex } from './fillIndex.ts'
import { lookBack } from './lookBack.ts'
import { measureRecovery } from './measureRecovery.ts'
import { readThrough } from './readThrough.ts'
import { fullSizes, quickSizes, type AuditSizes } from './sizes.ts'

/** How the reading of the record is measured. */
export interface AuditBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
}

/** What a part gets. */
export interface AuditBench {
  readonly sizes: AuditSizes
  readonly progress: Progress
  /** An empty folder, removed in the end. */
  readonly folder: () => Promise<string>
}

const parts: Readonly<Record<string, (bench: AuditBench) => Promise<Figure[]>>> = {
  read: readThrough,
  look: lookBack,
  index: fillIndex,
  recovery: measureRecovery,
  beside: besideLoad,
  readers: besideReaders,
}

/** Measures what reads the record, over logs in JetStream that hold whole lives. */
export const auditBench = async ({ quick, only }: AuditBenchOptions): Promise<Figure[]> => {
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
        figures.push(...(await run({ sizes: quick ? quickSizes : fullSizes, progress, folder })))
    return figures
  } finally {
    progress.end()
    for (const path of folders) await rm(path, { recursive: true, force: true })
  }
}
