import type { Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { besideCrowd } from './besideCrowd.ts'
import { besideLoad } from './besideLoad.ts'
import { besideReaders } from './besideReaders.ts'
import { fillIndex } from './fillIndex.ts'
import { lookBack } from './lookBack.ts'
import { measureRecovery } from './measureRecovery.ts'
import { readThrough } from './readThrough.ts'
import { fullSizes, quickSizes } from './sizes.ts'

/** How the reading of the record is measured. */
export interface AuditBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
}

const parts = {
  read: readThrough,
  look: lookBack,
  index: fillIndex,
  recovery: measureRecovery,
  beside: besideLoad,
  readers: besideReaders,
  crowd: besideCrowd,
}

/** Measures what reads the record, over logs in JetStream that hold whole lives. */
export const auditBench = ({ quick, only }: AuditBenchOptions): Promise<Figure[]> =>
  runParts(parts, only, { sizes: quick ? quickSizes : fullSizes })
