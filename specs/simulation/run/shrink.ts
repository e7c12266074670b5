import { allParts, leavingOut, writeWithout } from '../plan/without.ts'
import { planOf } from '../plan/Plan.ts'
import { runSeed } from '../runSeed.ts'
import type { Shrunk } from './Job.ts'

/** Runs spent on making a failure smaller. */
const runsMax = 250

/**
 * Leaves out deeds, people and faults of a seed as long as the same checker objects, in ever smaller pieces. Resolves
 * with the least that was found.
 */
export const shrink = async (seed: number, checker: string): Promise<Shrunk> => {
  const all = allParts(planOf(seed))
  let kept = all
  let runs = 0
  const stillFails = async (parts: readonly string[]): Promise<boolean> => {
    runs++
    const { failure } = await runSeed(seed, { without: leavingOut(all, parts) })
    return failure?.checker === checker
  }
  for (let size = Math.ceil(kept.length / 2); size >= 1 && runs < runsMax; size = Math.floor(size / 2))
    for (let again = true; again && runs < runsMax;) {
      again = false
      for (let at = 0; at < kept.length && runs < runsMax;) {
        const fewer = [...kept.slice(0, at), ...kept.slice(at + size)]
        if (await stillFails(fewer)) {
          kept = fewer
          again = size === 1
        } else at += size
      }
    }
  const without = leavingOut(all, kept)
  const { failure, history } = await runSeed(seed, { without, keepsHistory: true })
  return { seed, without: writeWithout(without), failure, history }
}
