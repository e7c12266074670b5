import { type Figure } from '../Figure.ts'
import { Progress } from '../Progress.ts'
import type { Bench } from './Bench.ts'
import { compareLives } from './compareLives.ts'
import { compareQueues } from './compareQueues.ts'
import { compareSends } from './compareSends.ts'
import { holdMany } from './holdMany.ts'
import { measureCore } from './measureCore.ts'
import { measureHttp } from './measureHttp.ts'
import { measureStates } from './measureStates.ts'
import { fullSizes, quickSizes } from './sizes.ts'
import { soak } from './soak.ts'
import { type ServersOptions, withServers } from './withServers.ts'

/** How the engine is measured. */
export interface EngineBenchOptions extends ServersOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
}

/** The parts that need servers, in the order in which they run. */
const parts: Readonly<Record<string, (bench: Bench) => Promise<Figure[]>>> = {
  lives: compareLives,
  sends: compareSends,
  http: measureHttp,
  queues: compareQueues,
  hold: holdMany,
}

/** Compares the engine with raw JetStream: separate processes, the same server for both. */
export const engineBench = async (options: EngineBenchOptions): Promise<Figure[]> => {
  const sizes = options.quick ? quickSizes : fullSizes
  const chosen = (part: string): boolean => options.only.length === 0 || options.only.includes(part)
  const progress = new Progress()
  const figures: Figure[] = []
  try {
    if (chosen('core')) figures.push(...(await measureCore(sizes, progress)))
    if (chosen('states')) figures.push(...(await measureStates(progress)))
    const wanted = Object.entries(parts).filter(([part]) => chosen(part))
    if (wanted.length > 0)
      figures.push(
        ...(await withServers(
          options,
          sizes,
          progress,
          wanted.map(([, run]) => run),
        )),
      )
    // Takes minutes, and rarely changes: only on request.
    if (options.only.includes('soak')) figures.push(...(await soak(sizes, progress)))
    return figures
  } finally {
    progress.end()
  }
}
