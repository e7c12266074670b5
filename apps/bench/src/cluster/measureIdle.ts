import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectClient } from '@kiroku/client-nats'
import { connect } from '@kiroku/nats'
import { startServer } from '@kiroku/nats-server'
import { childrenOf, processorMs } from '../console/processorTime.ts'
import { EngineProcess } from '../engine/EngineProcess.ts'
import { atMost, type Figure, informs } from '../Figure.ts'
import type { ClusterRun } from './ClusterRun.ts'
import { NatsRequests } from './NatsRequests.ts'
import type { IdleShape } from './sizes.ts'

/** Kinds of requests that are named; the rest is in the sum. */
const kindsMax = 8

/** What a few nodes ask of NATS, and how much processor they take, while they have nothing to do. */
export const idleFew = (run: ClusterRun): Promise<Figure[]> => measureIdle(run, run.sizes.idleFew)

/** The same, of many. */
export const idleMany = (run: ClusterRun): Promise<Figure[]> => measureIdle(run, run.sizes.idleMany)

const measureIdle = async (
  { sizes, progress, folder }: ClusterRun,
  { nodes: idleNodes, partitions: idlePartitions, requestsMax }: IdleShape,
): Promise<Figure[]> => {
  const { settledSeconds, idleSeconds } = sizes
  const what = `idle, ${idleNodes} nodes, ${idlePartitions} partitions`
  const closers: (() => Promise<unknown>)[] = []
  try {
    progress.step(`${what}: starting`)
    const server = await startServer({ syncInterval: 'always' })
    closers.push(() => server.stop())
    const nodes: EngineProcess[] = []
    for (let node = 0; node < idleNodes; node++) {
      const dataDir = await folder()
      const partitions = idlePartitions
      const engine = await EngineProcess.start({ nats: server.url, partitions, dataDir, isAudited: true })
      closers.push(() => engine.stop())
      nodes.push(engine)
    }
    const owned = await settledOwners(server.url, idlePartitions, settledSeconds)
    const nc = await connect({ servers: server.url })
    closers.push(() => nc.close())
    const requests = new NatsRequests(nc)
    await nc.flush()
    progress.step(`${what}: counting`)
    const processorOf = (): number[] =>
      nodes.map(({ pid }) => [pid, ...childrenOf(pid)].reduce((sum, each) => sum + processorMs(each), 0))
    const beforeMs = processorOf()
    const startMs = performance.now()
    requests.take()
    await sleep(idleSeconds * 1000)
    const kinds = requests.take()
    const passedMs = performance.now() - startMs
    const usedMs = processorOf().reduce((sum, each, node) => sum + each - beforeMs[node]!, 0)
    const perSecond = (count: number): number => (count * 1000) / passedMs
    const sum = kinds.reduce((total, [, count]) => total + count, 0)
    return [
      atMost(`${what}: requests to NATS`, perSecond(sum), '/s', requestsMax),
      ...kinds.slice(0, kindsMax).map(([kind, count]) => informs(`  ${kind}`, perSecond(count), '/s')),
      atMost(`${what}: processor per node`, (100 * usedMs) / passedMs / idleNodes, '%', 2),
      informs(`${what}: most partitions of a node`, Math.max(...owned), ''),
      informs(`${what}: fewest partitions of a node`, Math.min(...owned), ''),
    ]
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** Waits until no partition has moved for a while; returns how many each node owns. */
const settledOwners = async (url: string, partitions: number, seconds: number): Promise<number[]> => {
  const client = await connectClient({ servers: url })
  try {
    for (let before = ''; ;) {
      const owners = (await client.partitions()).filter(({ state }) => state === 'Active')
      const now = owners.map(({ partition, node }) => `${partition} ${node}`).join('\n')
      if (owners.length === partitions && now === before)
        return [...Map.groupBy(owners, ({ node }) => node).values()].map((each) => each.length)
      before = now
      await sleep(seconds * 1000)
    }
  } finally {
    await client.close()
  }
}
