import type { Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { measureIdle } from './measureIdle.ts'
import { fullSizes, quickSizes } from './sizes.ts'

/** How the cluster is measured. */
export interface ClusterBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
}

const parts = { idle: measureIdle }

/** Measures several nodes on one NATS. */
export const clusterBench = ({ quick, only }: ClusterBenchOptions): Promise<Figure[]> =>
  runParts(parts, only, { sizes: quick ? quickSizes : fullSizes })
