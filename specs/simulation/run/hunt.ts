import { brokenEngines } from '../broken/brokenEngines.ts'
import { Crew } from './Crew.ts'
import type { FailedSeed } from './Job.ts'

/** Seeds within which a broken engine must be caught. */
export const seedsToCatch = 500

/** What became of a broken engine. */
export interface Catch {
  readonly name: string
  /** Seeds that were run until it was caught, or all of them. */
  readonly seeds: number
  readonly caught: FailedSeed | undefined
}

/** Runs each broken engine until a checker objects. */
export const hunt = async (
  names: readonly string[],
  {
    from,
    jobs,
    onCatch,
  }: { readonly from: number; readonly jobs: number; readonly onCatch: (c: Catch) => void },
): Promise<Catch[]> => {
  const catches: Catch[] = []
  const left = [...names]
  const run = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      using crew = new Crew(name)
      const { seeds, failed } = await crew.do({ kind: 'run', from, count: seedsToCatch, untilFailure: true })
      const found: Catch = { name, seeds, caught: failed[0] }
      catches.push(found)
      onCatch(found)
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, names.length) }, run))
  return catches
}

/** Names of all broken engines. */
export const brokenNames = (): string[] => brokenEngines.map(({ name }) => name)
