import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
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
import type { ShapesRun } from './ShapesRun.ts'
import { fullSizes, quickSizes } from './sizes.ts'
import { writeReport } from './writeReport.ts'

/** How shapes are measured. */
export interface ShapesBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
  /** Folder for CPU profiles of engines and clients. */
  readonly profile: string | undefined
  /** File for the tables, with pictures beside it; sections of parts that do not run stay. */
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
  const reports = new Map<string, Report>()
  const all = { ...parts, ...longParts }
  const reported = Object.fromEntries(
    Object.entries(only.length === 0 ? parts : all).map(([part, measure]) => [
      part,
      (run: Omit<ShapesRun, 'report'>) => {
        const report = new Report()
        reports.set(part, report)
        return measure({ ...run, report })
      },
    ]),
  )
  const sizes = quick ? quickSizes : fullSizes
  // That it cannot be written must show now, not in an hour.
  if (file !== undefined) await mkdir(dirname(file), { recursive: true })
  try {
    return await runParts(reported, only, { sizes, isQuick: quick, profile })
  } finally {
    // Also of a run that failed: what it had measured by then.
    if (file !== undefined) await writeReport(file, reportHead(sizes), reports, Object.keys(all))
  }
}
