import { atLeast, type Figure } from '../Figure.ts'
import { figuresOf } from './figuresOf.ts'
import { inBatches, type Measured, measureTurns, type Shape } from './measureTurns.ts'
import { atomicName, rabbitName, rawName, ShapeSystems } from './ShapeSystems.ts'
import type { ShapesRun } from './ShapesRun.ts'
import { bodyBytes, window } from './sizes.ts'

const batches = [100, 10, 1] as const
const handlers = [1, 4, 50] as const

/** What batches of 1 and 10 keep of the messages per second in batches of 100. */
const keptMin = 0.6

/**
 * Sends and handles at the same time, for every batch size and number of handlers. A peer without batches has as many messages
 * in flight as all handlers' batches hold together; the peer that sends only batches is left out of single messages.
 */
export const measureBatches = async (run: ShapesRun): Promise<Figure[]> => {
  await using servers = new ShapeSystems(run)
  const systems = await servers.all()
  const figures: Figure[] = []
  const inHundreds = new Map<number, Measured>()
  for (const batch of batches)
    for (const count of handlers) {
      const shape = batchShape(batch, count)
      const able = systems.filter(({ sendsBatches }) => batch > 1 || sendsBatches !== true)
      const measured = await measureTurns(run, able, shape)
      const own = measured[0]!
      if (batch === 100) inHundreds.set(count, own)
      figures.push(
        ...figuresOf(run.report, shape, measured, () => ({
          overBest: 1.5,
          processor: 1,
          ...(batch === 100 ? { over: { [rabbitName]: 4, [rawName]: 25, [atomicName]: 4 } } : {}),
        })),
      )
      if (batch < 100)
        figures.push(
          atLeast(
            `${shape.title}, over the same in batches of 100`,
            own.perSecond / inHundreds.get(count)!.perSecond,
            '×',
            keptMin,
          ),
        )
    }
  return figures
}

const batchShape = (batch: number, count: number): Shape => ({
  title: `${bodyBytes} B in batches of ${batch}, ${count} ${count === 1 ? 'handler' : 'handlers'}`,
  bodyBytes,
  phases: [
    {
      name: 'live',
      kind: 'live',
      run: (system, messages) =>
        system.load.ask('live', {
          ...(system.name === rawName
            ? { messages, bodyBytes, batch: 1, window }
            : inBatches(system, messages, bodyBytes, batch)),
          handling: { batch, handlers: count },
        }),
    },
  ],
})
