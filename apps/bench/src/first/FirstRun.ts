import type { Part } from '../runParts.ts'
import type { FirstSizes } from './sizes.ts'

/** What a part gets. */
export interface FirstRun extends Part {
  readonly sizes: FirstSizes
}
