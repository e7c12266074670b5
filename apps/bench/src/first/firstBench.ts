import type { Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { compareLone } from './compareLone.ts'
import { fullSizes, quickSizes } from './sizes.ts'
import { startCommands } from './startCommands.ts'

/** How what one feels in the first hour is measured. */
export interface FirstBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
}

const parts = { lone: compareLone, start: startCommands }

/**
 * Measures what users notice in the first hour: how fast a lone message arrives, and how fast a command
 * answers.
 */
export const firstBench = ({ quick, only }: FirstBenchOptions): Promise<Figure[]> =>
  runParts(parts, only, { sizes: quick ? quickSizes : fullSizes })
