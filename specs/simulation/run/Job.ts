import type { Counts } from '../core/Coverage.ts'
import type { Failure } from '../runSeed.ts'

/** What a simulating process is asked to do. */
export type Job =
  | { readonly kind: 'run'; readonly from: number; readonly count: number; readonly untilFailure: boolean }
  | { readonly kind: 'shrink'; readonly seed: number; readonly checker: string }
  | { readonly kind: 'tell'; readonly seed: number; readonly without: string }

/** A seed that failed. */
export interface FailedSeed extends Failure {
  readonly seed: number
}

/** The least that still fails as the whole seed did, and what happened in it. */
export interface Shrunk {
  readonly seed: number
  /** What is left out, as `--without` takes it. */
  readonly without: string
  readonly failure: Failure | undefined
  readonly history: readonly string[]
}

/** What came of a job. */
export interface Outcome {
  readonly seeds: number
  readonly steps: number
  readonly coverage: Counts
  readonly failed: readonly FailedSeed[]
  readonly shrunk?: Shrunk
}
