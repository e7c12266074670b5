import { Coverage } from '../core/Coverage.ts'
import { Crew } from './Crew.ts'
import type { FailedSeed, Shrunk } from './Job.ts'

/** Which seeds to run, and in how many processes. */
export interface Order {
  readonly from: number
  readonly seeds: number
  /** Single seeds that are run as well. */
  readonly also: readonly number[]
  readonly jobs: number
  /** By `performance.now()`, when no more of them are begun. */
  readonly endMs: number
  /** Told how many seeds are done, and how many failed. */
  readonly onProgress?: (done: number, failed: number) => void
  readonly onFailure?: (failed: FailedSeed) => void
}

/** What came of all seeds. */
export interface Summary {
  readonly seeds: number
  /** Seeds for which there was no time. */
  readonly leftOut: number
  readonly steps: number
  readonly coverage: Coverage
  readonly failed: readonly FailedSeed[]
  /** The first failures, made small. */
  readonly shrunk: readonly Shrunk[]
}

/** Seeds that a process is given at once. */
const chunk = 25
/** Failures that are made small; the others are only named. */
const shrunkMax = 3

/** Runs seeds in processes of their own. */
export const simulate = async ({
  from,
  seeds,
  also,
  jobs,
  endMs,
  onProgress,
  onFailure,
}: Order): Promise<Summary> => {
  const coverage = new Coverage()
  const failed: FailedSeed[] = []
  const shrunk: Shrunk[] = []
  const chunks = also.map((seed) => ({ first: seed, count: 1 }))
  for (let first = from; first < from + seeds; first += chunk)
    chunks.push({ first, count: Math.min(chunk, from + seeds - first) })
  let done = 0
  let steps = 0
  const run = async (): Promise<void> => {
    using crew = new Crew()
    while (chunks.length > 0 && performance.now() < endMs) {
      const next = chunks.shift()!
      const outcome = await crew.do({
        kind: 'run',
        from: next.first,
        count: next.count,
        untilFailure: false,
      })
      done += outcome.seeds
      steps += outcome.steps
      coverage.merge(outcome.coverage)
      failed.push(...outcome.failed)
      for (const each of outcome.failed) onFailure?.(each)
      onProgress?.(done, failed.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, chunks.length) }, run))
  failed.sort((a, b) => a.seed - b.seed)
  if (failed.length > 0) {
    using crew = new Crew()
    for (const { seed, checker } of failed.slice(0, shrunkMax))
      shrunk.push((await crew.do({ kind: 'shrink', seed, checker })).shrunk!)
  }
  const leftOut = chunks.reduce((sum, { count }) => sum + count, 0)
  return { seeds: done, leftOut, steps, coverage, failed, shrunk }
}
