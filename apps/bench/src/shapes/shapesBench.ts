import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import type { Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { measureBatches } from './measureBatches.ts'
import { barsSvg } from './barsSvg.ts'
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
import { fullSizes, quickSizes, type ShapesSizes } from './sizes.ts'

/** How shapes are measured. */
export interface ShapesBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
  /** Folder for CPU profiles of engines and clients. */
  readonly profile: string | undefined
  /** File for the tables; a picture of the same name lies beside it. */
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
  // That it cannot be written must show now, not in an hour.
  if (file !== undefined) await mkdir(dirname(file), { recursive: true })
  try {
    return await runParts(only.length === 0 ? parts : { ...parts, ...longParts }, only, {
      sizes,
      isQuick: quick,
      profile,
      report,
    })
  } finally {
    // Also of a run that failed: what it had measured by then.
    if (file !== undefined) await write(file, report, sizes)
  }
}

const write = async (file: string, report: Report, sizes: ShapesSizes): Promise<void> => {
  const picture = report.bars.length > 0 ? `${parse(file).name}.svg` : undefined
  if (picture !== undefined) await writeFile(join(dirname(file), picture), barsSvg(report.bars))
  await writeFile(file, report.text(reportHead(sizes, picture)))
}
