import { atMost, type Figure, informs, median, spreadOf } from '../Figure.ts'
import { percentile } from '../first/percentile.ts'
import { short } from './figuresOf.ts'
import { spreadMax, untilClose } from './measureTurns.ts'
import { type ShapeSystem, ShapeSystems } from './ShapeSystems.ts'
import type { ShapesRun } from './ShapesRun.ts'

/** Messages a second; up to the second last of them a message must hardly wait. */
const rates = [20, 200, 1_000, 10_000] as const
const calmPerSecond = 1_000
const calmMsMax = 2.5
const percents = [50, 99, 99.9] as const
/** A system that takes longer with a second's messages does not keep up, and is asked for no more a second. */
const keptUpMs = 1_000

/** The percentiles of a system, and how far those of its rounds at 50 % lie apart. */
interface Latency {
  readonly system: ShapeSystem
  readonly phase: string
  readonly spread: number
  readonly tookMs: readonly number[]
}

/** From a send that was due to its handler, at an even pace, whatever becomes of earlier ones; each client as it is by default. */
export const measureLatency = async (run: ShapesRun): Promise<Figure[]> => {
  await using servers = new ShapeSystems(run)
  let systems = (await servers.all()).filter(({ sendsBatches }) => sendsBatches !== true)
  const figures: Figure[] = []
  for (const perSecond of rates) {
    const able: ShapeSystem[] = []
    for (const system of systems) {
      run.progress.step(`${perSecond}/s, ${system.name}, warming up`)
      const count = Math.ceil(perSecond * Math.min(1, run.sizes.pacedSeconds))
      const warm = await system.load.ask('measure', { count, perSecond })
      if (percentile(warm, 50) < keptUpMs || system.own !== undefined) able.push(system)
    }
    const measured = await untilClose(able, (some) => rounds(run, some, perSecond))
    const behind = systems.filter((system) => !able.includes(system))
    figures.push(...latencyFigures(run, perSecond, measured, behind))
    systems = able
  }
  return figures
}

const rounds = async (
  { sizes, progress }: ShapesRun,
  systems: readonly ShapeSystem[],
  perSecond: number,
): Promise<readonly Latency[]> => {
  const took = systems.map((): number[][] => [])
  const count = Math.min(Math.ceil(perSecond * sizes.pacedSeconds), sizes.pacedMessages)
  for (let round = 1; round <= sizes.rounds; round++)
    for (const [i, system] of systems.entries()) {
      progress.step(`${perSecond}/s, ${system.name}, round ${round} of ${sizes.rounds}`)
      took[i]!.push(await system.load.ask('measure', { count, perSecond }))
    }
  return systems.map((system, i) => {
    const of = (percent: number): number[] => took[i]!.map((each) => percentile(each, percent))
    return {
      system,
      phase: 'paced',
      spread: spreadOf(of(percents[0])),
      tookMs: percents.map((percent) => median(of(percent))),
    }
  })
}

const latencyFigures = (
  { report }: ShapesRun,
  perSecond: number,
  measured: readonly Latency[],
  behind: readonly ShapeSystem[],
): Figure[] => {
  const title = `send to handler at ${perSecond.toLocaleString('en')}/s`
  report.table(
    `${title}, ms`,
    ['', ...percents.map((percent) => `p${percent}`), 'spread of p50'],
    [
      ...measured.map(({ system, tookMs, spread }) => [
        system.name,
        ...tookMs.map(short),
        `${Math.round(spread * 100)} %${spread > spreadMax ? ' (!)' : ''}`,
      ]),
      ...behind.map(({ name }) => [`${name}, does not keep up`, ...percents.map(() => '–'), '–']),
    ],
  )
  const [own, ...peers] = measured
  return [
    ...measured.flatMap(({ system, tookMs, spread }) =>
      percents.map((percent, i) => {
        const name = `${title}, ${system.name}, p${percent}`
        const figure =
          system === own!.system && percent === 50 && perSecond <= calmPerSecond
            ? atMost(name, tookMs[i]!, 'ms', calmMsMax)
            : informs(name, tookMs[i]!, 'ms')
        return percent === 50 && spread > spreadMax ? { ...figure, spread: Math.round(spread * 100) } : figure
      }),
    ),
    ...(peers.length === 0
      ? []
      : percents.map((percent, i) => {
          const name = `${title}, p${percent}, Kiroku over the best peer`
          const over = own!.tookMs[i]! / Math.min(...peers.map(({ tookMs }) => tookMs[i]!))
          return percent <= 99 && perSecond <= calmPerSecond
            ? atMost(name, over, '×', 1)
            : informs(name, over, '×')
        })),
  ]
}
