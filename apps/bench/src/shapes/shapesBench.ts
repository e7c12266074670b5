import { writeFile } from 'node:fs/promises'
import type { Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { measureBatches } from './measureBatches.ts'
import { measureBacklog, measureLargeBacklog } from './measureBacklog.ts'
import { measureIdle } from './measureIdle.ts'
import { measureLatency } from './measureLatency.ts'
import { measurePartitions } from './measurePartitions.ts'
import { measureLargeRecovery, measureRecovery } from './measureRecovery.ts'
import { measureSends } from './measureSends.ts'
import { measureSizes } from './measureSizes.ts'
import { measureHttpShape, measureStall } from './ofEngine.ts'
import { reportHead } from './reportHead.ts'
import { Report } from './Report.ts'
import { fullSizes, quickSizes } from './sizes.ts'

/** How shapes are measured. */
export interface ShapesBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
  /** Folder for CPU profiles of engines and clients. */
  readonly profile: string | undefined
  /** File for the tables. */
  readonly report: string | undefined
}

const parts = {
  sizes: measureSizes,
  batches: measureBatches,
  sends: measureSends,
  partitions: measurePartitions,
  latency: measureLatency,
  backlog: measureBacklog,
  recovery: measureRecovery,
  stall: measureStall,
  idle: measureIdle,
  http: measureHttpShape,
}

/** Those that take long: only on request. */
const longParts = { backlog10: measureLargeBacklog, recovery10: measureLargeRecovery }

/** Measures Kiroku in all shapes that people have, beside what they would take instead: all of it survives a loss of power. */
export const shapesBench = async ({
  quick,
  only,
  profile,
  report: file,
}: ShapesBenchOptions): Promise<Figure[]> => {
  const report = new Report()
  const sizes = quick ? quickSizes : fullSizes
  const figures = await runParts(only.length === 0 ? parts : { ...parts, ...longParts }, only, {
    sizes,
    isQuick: quick,
    profile,
    report,
  })
  if (file !== undefined) await writeFile(file, report.text(reportHead(sizes)))
  return figures
}
