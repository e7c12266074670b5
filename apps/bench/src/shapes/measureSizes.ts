import { atLeast, atMost, type Figure, informs } from '../Figure.ts'
import { figuresOf } from './figuresOf.ts'
import { measureLimits } from './measureLimits.ts'
import { handled, inBatches, type Measured, measureTurns, type Shape } from './measureTurns.ts'
import { ShapeSystems } from './ShapeSystems.ts'
import type { ShapesRun } from './ShapesRun.ts'
import { bodySizes, sizeName, window } from './sizes.ts'

/** From here on bodies decide, not messages. */
const largeBytes = 16 * 1024
/** Bodies whose collections are counted. */
const collectedBytes = 100_000_000

/**
 * Bodies of all sizes: sent one by one with hundreds under way, then handled by a consumer as it is by default. Peers whose
 * consumers handle one at a time have as many as are good for them.
 */
export const measureSizes = async (run: ShapesRun): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const bodyBytes of bodySizes) {
    // What a server did before changes how fast it is: after smaller bodies, raw JetStream handled half as many of 16 KB.
    await using servers = new ShapeSystems(run)
    const systems = await servers.all()
    const shape = sizeShape(bodyBytes)
    const measured = await measureTurns(run, systems, shape)
    const isLarge = bodyBytes >= largeBytes
    figures.push(
      ...figuresOf(run.report, shape, measured, () =>
        isLarge ? { overBest: 1 } : { overBest: 1.5, processor: 1 },
      ),
      ...(await limitsOf(run, shape, measured)),
      ...ownFigures(shape, measured),
    )
  }
  return figures
}

const sizeShape = (bodyBytes: number): Shape => ({
  title: sizeName(bodyBytes),
  bodyBytes,
  phases: [
    {
      name: 'publish',
      kind: 'send',
      run: (system, messages) =>
        system.load.ask(
          'publish',
          system.sendsBatches === true
            ? inBatches(system, messages, bodyBytes)
            : { messages, bodyBytes, batch: 1, window },
        ),
    },
    {
      name: 'consume',
      kind: 'handle',
      run: (system, messages) => system.load.ask('consume', handled(system, messages, bodyBytes)),
    },
  ],
})

/** What the disk and nats-server alone can do with such bodies. */
const limitsOf = async (
  run: ShapesRun,
  { title, bodyBytes }: Shape,
  measured: readonly Measured[],
): Promise<Figure[]> => {
  const limits = await measureLimits(run, bodyBytes)
  const figures = limits.map(({ name, perSecond }) => informs(`${title}, limit: ${name}`, perSecond, '/s'))
  const publish = measured[0]!.perSecond
  const share = publish / limits.at(-1)!.perSecond
  run.report.table(
    `${title}, publish, beside the limits`,
    ['', 'messages/s', 'Kiroku over it'],
    limits.map(({ name, perSecond }) => [
      name,
      Math.round(perSecond).toLocaleString('en'),
      `${(publish / perSecond).toFixed(2)} ×`,
    ]),
  )
  const name = `${title}, publish, Kiroku over nats-server alone`
  return [...figures, bodyBytes >= largeBytes ? atLeast(name, share, '×', 0.5) : informs(name, share, '×')]
}

/** What concerns Kiroku alone: full collections, and how often a body goes through NATS. */
const ownFigures = ({ title, bodyBytes }: Shape, measured: readonly Measured[]): Figure[] => {
  const own = measured.filter(({ system }) => system.own !== undefined)
  const sum = (of: (each: Measured) => number): number => own.reduce((all, each) => all + of(each), 0)
  const full = sum((each) => (each.collections * collectedBytes) / (each.messages * bodyBytes))
  const through = sum(({ natsBytes }) => natsBytes)
  const collections = `${title}, full collections of the engine in 100 MB of bodies, sent and handled`
  return [
    bodyBytes >= largeBytes
      ? atMost(`${title}, bytes through NATS a body byte, sent, handled and audited`, through, '', 6)
      : informs(`${title}, bytes through NATS a body byte, sent, handled and audited`, through, ''),
    bodyBytes >= 1024 ? atMost(collections, full, '', 2) : informs(collections, full, ''),
  ]
}
