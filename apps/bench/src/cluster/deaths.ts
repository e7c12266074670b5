import { atMost, type Figure } from '../Figure.ts'
import type { ClusterRun } from './ClusterRun.ts'
import { errors, seconds } from './felt.ts'
import { type Felt, LoadedCluster } from './LoadedCluster.ts'

/** After how long without a heartbeat a node counts as dead, and the time until the next delivery; in s. */
const cases = [
  [3, 3.5],
  [1.5, 2],
] as const

/** What clients feel of a node that dies. */
export const deaths = async (run: ClusterRun): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const [deadAfter, target] of cases) {
    const killed = await kill(run, deadAfter)
    const what = `kill -9, dead after ${deadAfter} s`
    figures.push(
      atMost(
        `${what}: until the next delivery`,
        seconds(killed, (f) => f.deliveryPauseMs),
        's',
        target,
      ),
      atMost(`${what}: sends that failed`, errors(killed), '', 0),
    )
  }
  return figures
}

const kill = async (run: ClusterRun, deadAfter: number): Promise<Felt[]> => {
  await using cluster = await LoadedCluster.start(run, {
    flags: ['--dead-after', `${deadAfter * 1_000}ms`],
  })
  const { progress, sizes } = run
  const { nodes } = cluster
  const killed: Felt[] = []
  for (let trial = 0; trial < sizes.trials; trial++) {
    progress.step(`kill -9 ${trial + 1} of ${sizes.trials}, dead after ${deadAfter} s`)
    const node = nodes[trial % nodes.length]!
    killed.push(await cluster.feel(() => node.end('SIGKILL')))
    node.start()
    await cluster.settled()
  }
  return killed
}
