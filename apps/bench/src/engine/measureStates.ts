import { atMost, informs, type Figure } from '../Figure.ts'
import { LoadProcess } from '../LoadProcess.ts'
import { engineFlags } from '../engineFlags.ts'
import type { Progress } from '../Progress.ts'
import type { StateLoad } from '../load/stateLoad.ts'

const stallMsMax = 50

/** Large states within the limits, and how large. */
const states: readonly (readonly [kind: string, items: number])[] = [
  ['producers', 20_000],
  ['producers', 100_000],
  ['producers with 64 sends each', 20_000],
  ['dedup keys', 990_000],
  ['ordered groups', 990_000],
  ['tenants with messages in flight', 200_000],
  ['delayed messages', 200_000],
  ['receives with attempt ids', 200_000],
  ['letters in the outbox', 200_000],
  ['queues', 10_000],
]

/**
 * How long a checkpoint of a large state, and a take-over from it, block the actor's thread at most; each in
 * its own process.
 */
export const measureStates = async (progress: Progress): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const [kind, items] of states) {
    const name = `${items.toLocaleString('en')} ${kind}`
    progress.step(name)
    const process = new LoadProcess<StateLoad>('stateLoad', 'state', [], {
      execArgv: ['--expose-gc', ...engineFlags()],
    })
    try {
      const { checkpointMs, takeOverMs, checkpointBytes } = await process.ask('stateCost', { kind, items })
      figures.push(
        atMost(`${name}: longest work at a checkpoint`, checkpointMs, 'ms', stallMsMax),
        atMost(`${name}: longest work at a take-over`, takeOverMs, 'ms', stallMsMax),
        informs(`${name}: the checkpoint`, checkpointBytes / 2 ** 20, 'MiB'),
      )
    } finally {
      await process.end()
    }
  }
  return figures
}
