import type { Figure } from '../Figure.ts'
import { figuresOf, type Target } from './figuresOf.ts'
import { inBatches, measureTurns, type Phase, type Shape } from './measureTurns.ts'
import { atomicName, rawName, ShapeSystems } from './ShapeSystems.ts'
import type { ShapesRun } from './ShapesRun.ts'
import { bodyBytes, window } from './sizes.ts'

const singly = (name: string, atOnce: number): Phase => ({
  name,
  kind: 'send',
  isFor: ({ sendsBatches }) => sendsBatches !== true,
  run: ({ load }, messages) => load.ask('publish', { messages, bodyBytes, batch: 1, window: atOnce }),
})

const shape: Shape = {
  title: `sends of ${bodyBytes} B`,
  bodyBytes,
  phases: [
    singly('one after another', 1),
    singly(`${window} at once`, window),
    {
      name: 'in batches of 100',
      kind: 'send',
      isFor: ({ isSingle, name }) => isSingle !== true && name !== rawName,
      run: (system, messages) => system.load.ask('publish', inBatches(system, messages, bodyBytes)),
    },
  ],
}

const targets: Readonly<Record<string, Target>> = {
  'one after another': { overBestQueue: 1, over: { [rawName]: 0.6 } },
  'in batches of 100': { overBest: 1.5, over: { [atomicName]: 4 } },
}

/** Sends alone, each awaited before the next, many at once, and in batches. */
export const measureSends = async (run: ShapesRun): Promise<Figure[]> => {
  await using servers = new ShapeSystems(run)
  const measured = await measureTurns(run, await servers.all(), shape)
  return figuresOf(run.report, shape, measured, (phase) => targets[phase] ?? { overBest: 1.5, processor: 1 })
}
