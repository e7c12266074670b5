import type { Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { changesOfOwner } from './changesOfOwner.ts'
import { measureIdle } from './measureIdle.ts'
import { fullSizes, quickSizes } from './sizes.ts'

/** How a cluster is measured. */
export interface ClusterBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
}

const parts = { changes: changesOfOwner, idle: measureIdle }

/**
 * Measures what clients feel of what happens to the nodes of a cluster, which needs the right to make namespaces, and what
 * the nodes ask of NATS at rest.
 */
export const clusterBench = ({ quick, only }: ClusterBenchOptions): Promise<Figure[]> =>
  runParts(parts, only, { sizes: quick ? quickSizes : fullSizes })
