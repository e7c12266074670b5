import { setTimeout as pause } from 'node:timers/promises'
import { atMost, type Figure, informs, median } from '../Figure.ts'
import type { ClusterRun } from './ClusterRun.ts'
import { errors, seconds } from './felt.ts'
import { type Felt, LoadedCluster } from './LoadedCluster.ts'

/** What clients feel when all nodes are restarted one by one, and when NATS is away for a second. */
export const restarts = async (run: ClusterRun): Promise<Figure[]> => {
  await using cluster = await LoadedCluster.start(run)
  const { progress, sizes } = run
  const { nodes, servers } = cluster
  const rolled: Felt[] = []
  const away: Felt[] = []
  const awayMs: number[] = []
  for (let round = 0; round < sizes.rounds; round++) {
    progress.step(`rolling restart ${round + 1} of ${sizes.rounds}`)
    rolled.push(
      await cluster.feel(async () => {
        for (const node of nodes) {
          await node.end('SIGTERM')
          node.start()
          await cluster.settled()
        }
      }),
    )
    progress.step(`a second without NATS ${round + 1} of ${sizes.rounds}`)
    away.push(
      await cluster.feel(async () => {
        const killedMs = performance.now()
        for (const server of servers) await server.kill('SIGKILL')
        await pause(1_000)
        for (const server of servers) await server.restart()
        awayMs.push(performance.now() - killedMs)
      }),
    )
  }
  const longest = ({ sendPauseMs }: Felt): number => sendPauseMs
  return [
    atMost(
      'rolling restart: p99 of sends',
      seconds(rolled, (f) => f.p99Ms),
      's',
      0.5,
    ),
    atMost('rolling restart: longest pause of sends', seconds(rolled, longest), 's', 1),
    informs('NATS away for a second: until it is there again', median(awayMs) / 1_000, 's'),
    atMost('NATS away for a second: longest pause of sends', seconds(away, longest), 's', 2),
    atMost('restarts: sends that failed', errors([...rolled, ...away]), '', 0),
  ]
}
