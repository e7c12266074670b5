import { describe, it } from 'vitest'
import { Simulation } from './Simulation.ts'

/** Seeds to run, as `first-last`; by default those of CI. */
const [first, last] = (process.env['KIROKU_SEEDS'] ?? '1-150').split('-').map(Number) as [number, number]
/** Real time after which a seed that should take a tenth of a second counts as hanging. */
const seedMsMax = 30_000

const runSeed = async (seed: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const hangs = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it hangs')), seedMsMax)
  })
  try {
    await Promise.race([new Simulation(seed).run(), hangs])
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}

describe('the engine under faults', () => {
  it('loses, doubles and resurrects nothing, and answers everything', { timeout: 600_000 }, async () => {
    for (let seed = first; seed <= last; seed++) await runSeed(seed)
  })
})
