import { holdMany } from '../engine/holdMany.ts'
import { measureHttp } from '../engine/measureHttp.ts'
import { fullSizes, quickSizes, type Sizes } from '../engine/sizes.ts'
import { withServers } from '../engine/withServers.ts'
import { atMost, type Figure } from '../Figure.ts'
import type { ShapesRun } from './ShapesRun.ts'

const stallMsMax = 50

/** So little that it says no more than that it runs. */
const least: Sizes = { ...quickSizes, rounds: 1, httpLone: 200, httpSends: 2_000, held: 20_000 }

/** Single sends over HTTP beside a bare server, as `engine` measures them. */
export const measureHttpShape = (run: ShapesRun): Promise<Figure[]> =>
  partOfEngine(run, 'HTTP', measureHttp, (figure) => (figure.name.includes('HTTP') ? [figure] : []))

/** The longest turn beside very many messages under leases, as `engine` measures it. */
export const measureStall = (run: ShapesRun): Promise<Figure[]> =>
  partOfEngine(run, 'messages under leases', holdMany, (figure) =>
    figure.name.startsWith('longest stall')
      ? [atMost(`messages under leases, ${figure.name}`, figure.value, figure.unit, stallMsMax)]
      : [figure],
  )

const partOfEngine = async (
  { isQuick, profile, progress, report }: ShapesRun,
  title: string,
  part: Parameters<typeof withServers>[3][number],
  judged: (figure: Figure) => Figure[],
): Promise<Figure[]> => {
  const sizes = isQuick ? least : fullSizes
  const figures = (await withServers({ partitions: 1, profile }, sizes, progress, [part])).flatMap(judged)
  report.figures(title, figures)
  return figures
}
