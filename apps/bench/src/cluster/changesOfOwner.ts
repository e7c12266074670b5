import { atMost, type Figure, informs, median } from '../Figure.ts'
import type { ClusterRun } from './ClusterRun.ts'
import { type Felt, LoadedCluster } from './LoadedCluster.ts'

const seconds = (felt: readonly Felt[], of: (each: Felt) => number): number => median(felt.map(of)) / 1_000
const errors = (felt: readonly Felt[]): number => felt.reduce((sum, each) => sum + each.errors, 0)

/** What clients feel of a hand-over, a join, a death, a restart of all nodes and of NATS. */
export const changesOfOwner = async (run: ClusterRun): Promise<Figure[]> => {
  await using cluster = await LoadedCluster.start(run)
  const { progress, sizes } = run
  const { nodes, server } = cluster
  const node = (trial: number) => nodes[trial % nodes.length]!
  const handedOver: Felt[] = []
  const joined: Felt[] = []
  const killed: Felt[] = []
  for (let trial = 0; trial < sizes.trials; trial++) {
    progress.step(`hand-over and join ${trial + 1} of ${sizes.trials}`)
    handedOver.push(await cluster.feel(() => node(trial).end('SIGTERM')))
    joined.push(await cluster.feel(async () => node(trial).start()))
  }
  for (let trial = 0; trial < sizes.trials; trial++) {
    progress.step(`kill -9 ${trial + 1} of ${sizes.trials}`)
    killed.push(await cluster.feel(() => node(trial).end('SIGKILL')))
    node(trial).start()
    await cluster.settled()
  }
  const rolled: Felt[] = []
  const away: Felt[] = []
  for (let round = 0; round < sizes.rounds; round++) {
    progress.step(`rolling restart ${round + 1} of ${sizes.rounds}`)
    rolled.push(
      await cluster.feel(async () => {
        for (const each of nodes) {
          await each.end('SIGTERM')
          each.start()
          await cluster.settled()
        }
      }),
    )
    progress.step(`a second without NATS ${round + 1} of ${sizes.rounds}`)
    away.push(
      await cluster.feel(async () => {
        await server.kill('SIGKILL')
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        await server.restart()
      }),
    )
  }
  const all = [handedOver, joined, killed, rolled, away].flat()
  return [
    atMost(
      'hand-over: longest pause of sends',
      seconds(handedOver, (f) => f.sendPauseMs),
      's',
      0.3,
    ),
    informs(
      'hand-over: longest pause of deliveries',
      seconds(handedOver, (f) => f.deliveryPauseMs),
      's',
    ),
    atMost(
      'join: longest pause of sends',
      seconds(joined, (f) => f.sendPauseMs),
      's',
      0.3,
    ),
    informs(
      'join: longest pause of deliveries',
      seconds(joined, (f) => f.deliveryPauseMs),
      's',
    ),
    atMost(
      'kill -9: until the next delivery',
      seconds(killed, (f) => f.deliveryPauseMs),
      's',
      3.5,
    ),
    atMost(
      'rolling restart: p99 of sends',
      seconds(rolled, (f) => f.p99Ms),
      's',
      0.5,
    ),
    atMost(
      'rolling restart: longest pause of sends',
      seconds(rolled, (f) => f.sendPauseMs),
      's',
      1,
    ),
    atMost(
      'NATS away for a second: longest pause of sends',
      seconds(away, (f) => f.sendPauseMs),
      's',
      2,
    ),
    atMost('sends that failed', errors(all), '', 0),
  ]
}
