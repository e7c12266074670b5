import type { Part } from '../runParts.ts'
import type { Report } from './Report.ts'
import type { ShapesSizes } from './sizes.ts'

/** What a part gets. */
export interface ShapesRun extends Part {
  readonly sizes: ShapesSizes
  /** Folder for CPU profiles of engines and clients. */
  readonly profile: string | undefined
  readonly report: Report
}
