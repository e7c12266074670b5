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
      const found = await huntOne(name, from)
      catches.push(found)
      onCatch(found)
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, names.length) }, run))
  return catches
}

/** Seeds that a process is given at once. */
const chunk = 5

const huntOne = async (name: string, from: number): Promise<Catch> => {
  using crew = new Crew(name)
  for (let done = 0; done < seedsToCatch; done += chunk) {
    const first = from + done
    const { seeds, failed } = await crew
      .do({ kind: 'run', from: first, count: chunk, untilFailure: true })
      // An engine may be so broken that it goes round in one step, or takes all memory.
      .catch(({ message }: Error) => ({
        seeds: 1,
        failed: [{ seed: first, checker: 'world', text: `this seed, or one soon after it: ${message}` }],
      }))
    if (failed.length > 0) return { name, seeds: done + seeds, caught: failed[0] }
  }
  return { name, seeds: seedsToCatch, caught: undefined }
}

/** Names of all broken engines. */
export const brokenNames = (): string[] => brokenEngines.map(({ name }) => name)
