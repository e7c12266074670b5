import type { Part } from '../runParts.ts'
import type { ClusterSizes } from './sizes.ts'

/** What a part of the benchmark of clusters gets. */
export interface ClusterRun extends Part {
  readonly sizes: ClusterSizes
}
