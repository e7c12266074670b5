import type { Problem } from '../verify/VerifyReport.ts'

/** A partition whose log the store does not have, and what the store says. */
export interface LostPartition {
  readonly partition: number
  readonly problem: Problem
}

/** A readable line. */
export const missingText = ({ partition, problem }: LostPartition): string =>
  `Partition ${partition} is missing, and what it holds with it: ${problem.message}`
