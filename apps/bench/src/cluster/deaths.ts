import { atMost, type Figure } from '../Figure.ts'
import type { ClusterRun } from './ClusterRun.ts'
import { errors, seconds } from './felt.ts'
import { type Felt, LoadedCluster } from './LoadedCluster.ts'

/** What clients feel of a node that dies. */
export const deaths = async (run: ClusterRun): Promise<Figure[]> => {
  await using cluster = await LoadedCluster.start(run)
  const { progress, sizes } = run
  const { nodes } = cluster
  const killed: Felt[] = []
  for (let trial = 0; trial < sizes.trials; trial++) {
    progress.step(`kill -9 ${trial + 1} of ${sizes.trials}`)
    const node = nodes[trial % nodes.length]!
    killed.push(await cluster.feel(() => node.end('SIGKILL')))
    node.start()
    await cluster.settled()
  }
  return [
    atMost(
      'kill -9: until the next delivery',
      seconds(killed, (f) => f.deliveryPauseMs),
      's',
      3.5,
    ),
    atMost('kill -9: sends that failed', errors(killed), '', 0),
  ]
}
