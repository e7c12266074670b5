import { atMost, type Figure, informs } from '../Figure.ts'
import type { ClusterRun } from './ClusterRun.ts'
import { errors, seconds } from './felt.ts'
import { type Felt, LoadedCluster } from './LoadedCluster.ts'

/** What clients feel of a node that stops, and of one that joins. */
export const handOvers = async (run: ClusterRun): Promise<Figure[]> => {
  await using cluster = await LoadedCluster.start(run)
  const { progress, sizes } = run
  const { nodes } = cluster
  const handedOver: Felt[] = []
  const joined: Felt[] = []
  for (let trial = 0; trial < sizes.trials; trial++) {
    progress.step(`hand-over and join ${trial + 1} of ${sizes.trials}`)
    const node = nodes[trial % nodes.length]!
    handedOver.push(await cluster.feel(() => node.end('SIGTERM')))
    joined.push(await cluster.feel(async () => node.start()))
  }
  const sends = ({ sendPauseMs }: Felt): number => sendPauseMs
  const deliveries = ({ deliveryPauseMs }: Felt): number => deliveryPauseMs
  return [
    atMost('hand-over: longest pause of sends', seconds(handedOver, sends), 's', 0.3),
    informs('hand-over: longest pause of deliveries', seconds(handedOver, deliveries), 's'),
    atMost('join: longest pause of sends', seconds(joined, sends), 's', 0.3),
    informs('join: longest pause of deliveries', seconds(joined, deliveries), 's'),
    atMost('hand-over and join: sends that failed', errors([...handedOver, ...joined]), '', 0),
  ]
}
