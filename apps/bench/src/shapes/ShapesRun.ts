import type { Part } from '../runParts.ts'
import type { Report } from './Report.ts'
import type { ShapesSizes } from './sizes.ts'

/** What a part gets. */
export interface ShapesRun extends Part {
  readonly sizes: ShapesSizes
  /** Whether only that everything runs is of interest. */
  readonly isQuick: boolean
  /** Folder for CPU profiles of engines and clients. */
  readonly profile: string | undefined
  readonly report: Report
}
