import type { Browser } from 'playwright-core'
import type { Part } from '../runParts.ts'
import type { ConsoleSizes } from './sizes.ts'

/** What a part gets. */
export interface ConsoleRun extends Part {
  readonly sizes: ConsoleSizes
  readonly browser: Browser
}
