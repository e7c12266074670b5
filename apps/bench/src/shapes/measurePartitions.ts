import { atMost, type Figure } from '../Figure.ts'
import { figuresOf } from './figuresOf.ts'
import { inBatches, measureTurns, type Shape } from './measureTurns.ts'
import { ShapeSystems } from './ShapeSystems.ts'
import type { ShapesRun } from './ShapesRun.ts'
import { sizeName } from './sizes.ts'

const bodies = [128, 16 * 1024] as const
const auditorUsMax = 40

/** Kiroku alone: on one partition and on four, with its auditor and without; what the auditor takes is counted until it has read all. */
export const measurePartitions = async (run: ShapesRun): Promise<Figure[]> => {
  await using servers = new ShapeSystems(run)
  run.progress.step('starting engines')
  const systems = []
  for (const partitions of [4, 1])
    for (const isAudited of [true, false])
      systems.push(
        await servers.kiroku({
          name: `${partitions} ${partitions === 1 ? 'partition' : 'partitions'}, auditor ${isAudited ? 'on' : 'off'}`,
          partitions,
          isAudited,
        }),
      )
  const figures: Figure[] = []
  for (const bodyBytes of bodies) {
    const shape = partitionsShape(bodyBytes)
    const measured = await measureTurns(run, systems, shape)
    figures.push(...figuresOf(run.report, shape, measured))
    if (bodyBytes === bodies[1])
      figures.push(
        atMost(
          `${shape.title}, auditor until it has caught up`,
          measured[0]!.processorUs['auditor']!,
          'µs',
          auditorUsMax,
        ),
      )
  }
  return figures
}

const partitionsShape = (bodyBytes: number): Shape => ({
  title: `Kiroku, ${sizeName(bodyBytes)} in batches of 100, 4 handlers`,
  bodyBytes,
  isAudited: true,
  phases: [
    {
      name: 'live',
      kind: 'live',
      run: (system, messages) =>
        system.load.ask('live', {
          ...inBatches(system, messages, bodyBytes),
          handling: { batch: 100, handlers: 4 },
        }),
    },
  ],
})
