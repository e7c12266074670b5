import type { Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { compareSqsLives } from './compareSqsLives.ts'
import { measureAttributes } from './measureAttributes.ts'
import { measurePolls } from './measurePolls.ts'
import { measureAlways, measureRequests } from './measureRequests.ts'
import { measureSigned } from './measureSigned.ts'
import { fullSizes, quickSizes } from './sizes.ts'

/** How the door for Amazon SQS is measured. */
export interface SqsBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
  /** Folder for CPU profiles of the engines. */
  readonly profile: string | undefined
}

const parts = {
  requests: measureRequests,
  always: measureAlways,
  signed: measureSigned,
  polls: measurePolls,
  attributes: measureAttributes,
  lives: compareSqsLives,
}

/** Measures the door for Amazon SQS with requests as the AWS SDK sends them. */
export const sqsBench = ({ quick, only, profile }: SqsBenchOptions): Promise<Figure[]> =>
  runParts(parts, only, { sizes: quick ? quickSizes : fullSizes, profile })
