import type { Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { changesOfOwner } from './changesOfOwner.ts'
import { fullSizes, quickSizes } from './sizes.ts'

/** How a cluster is measured. */
export interface ClusterBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
}

const parts = { changes: changesOfOwner }

/** Measures what clients feel of what happens to the nodes of a cluster. Needs the right to make namespaces. */
export const clusterBench = ({ quick, only }: ClusterBenchOptions): Promise<Figure[]> =>
  runParts(parts, only, { sizes: quick ? quickSizes : fullSizes })
