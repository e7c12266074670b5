import { setTimeout as pause } from 'node:timers/promises'
import type { EngineProcess } from './EngineProcess.ts'
import type { Deployment, OnKill } from './Deployment.ts'
import type { Fault, Situation } from './Fault.ts'
import { partitions } from './queues.ts'
import type { Random } from './random.ts'
import type { ThreeServers } from './ThreeServers.ts'

/** The TTL of a node's locks, and half a second. */
const deathMs = 3_500
/** A planned change of owner. */
const plannedMs = 300
const rollingMs = 1_000
/** NATS elects a leader in place of a dead one within this; a second is ours. */
const electionMs = 9_000
const natsMs = electionMs + 1_000
/** Behind NATS's own return. */
const quorumMs = electionMs + 3_000
const coldStartMs = electionMs + 5_000
/** Longer than the TTL of a node's locks. */
const awayMs = 3_500

/** A cluster, and everything that may happen to it. */
export const clusterDeployment = (cluster: ThreeServers, random: Random, onKill: OnKill): Deployment => ({
  urls: cluster.nats.urls,
  faults: clusterFaults(cluster, random, onKill),
  isSettled: (active) => {
    // Nodes of the previous release know no shares: they keep what they have, and are given nothing.
    const sharing = cluster.all.filter((node) => node.pid > 0 && !cluster.isPrevious(node))
    const shares = sharing.map((node) => active.filter((partition) => node.owns(partition)).length)
    return Math.max(...shares) - Math.min(...shares) <= 1
  },
  isMixed: (active) =>
    cluster.nodes.some(
      (node) => cluster.isPrevious(node) && active.some((partition) => node.owns(partition)),
    ),
  onCrash: (hear) => cluster.all.forEach((node) => (node.onCrash = hear)),
  stopNodes: async () => void (await Promise.all(cluster.all.map((node) => node.end('SIGTERM')))),
  stop: () => cluster.stop(),
  abandon: () => cluster.abandon(),
})

/** Everything that happens to a cluster; each is undone before it ends, but for who is there and of which release. */
const clusterFaults = (cluster: ThreeServers, random: Random, onKill: OnKill): readonly Fault[] => {
  const { nodes, servers, guest } = cluster
  const pick = <A>(from: readonly A[]): A => from[random.int(from.length)]!
  const shuffled = <A>(from: readonly A[]): A[] => {
    const left = [...from]
    return from.map(() => left.splice(random.int(left.length), 1)[0]!)
  }
  const kill = (node: EngineProcess): Promise<void> => {
    onKill('node')
    return node.end('SIGKILL')
  }
  /** A node that owns partitions, if it can be. */
  const owner = ({ active }: Situation): EngineProcess => {
    const owners = nodes.filter((node) => active.some((partition) => node.owns(partition)))
    return pick(owners.length > 0 ? owners : nodes)
  }
  const killAndStart = async (node: EngineProcess): Promise<number> => {
    await kill(node)
    await pause(random.int(5_000))
    node.start()
    return 0
  }
  const restart = async (node: EngineProcess): Promise<void> => {
    await node.end('SIGTERM')
    node.start()
  }
  /** Takes something away for longer than a lock lasts. */
  const away = async (take: () => unknown, giveBack: () => unknown): Promise<void> => {
    await take()
    await pause(awayMs + random.int(4_000))
    await giveBack()
  }
  const timed = async (act: () => Promise<unknown>): Promise<number> => {
    const beganMs = performance.now()
    await act()
    return performance.now() - beganMs
  }
  const fault = (name: string, pauseMs: number, act: (situation: Situation) => Promise<unknown>): Fault => ({
    name,
    pauseMs,
    inject: async (situation) => {
      await act(situation)
      return 0
    },
  })
  /** A fault during which no node can serve: that time is taken off its pause. */
  const outage = (name: string, pauseMs: number, act: () => Promise<unknown>): Fault => ({
    name,
    pauseMs,
    inject: () => timed(act),
  })

  const { disk } = cluster
  return [
    fault('kill -9 of an owner', deathMs, (situation) => killAndStart(owner(situation))),
    fault('kill -9 of a standby', deathMs, async () =>
      killAndStart((await cluster.standby()) ?? pick(nodes)),
    ),
    fault('kill -9 within a checkpoint', deathMs, async (situation) => {
      await cluster.checkpointUnderWay(10_000)
      await killAndStart(owner(situation))
    }),
    fault('kill -9 within a hand-over', deathMs, async (situation) => {
      const leaving = owner(situation)
      const next = pick(nodes.filter((node) => node !== leaving))
      const soonMs = random.int(400)
      // Either the one that hands over, or one that may get what it had.
      if (random.next() < 0.5) await leaving.end('SIGTERM', soonMs)
      else await Promise.all([leaving.end('SIGTERM'), pause(soonMs).then(() => killAndStart(next))])
      leaving.start()
    }),
    fault('SIGTERM and start of an owner', plannedMs, (situation) => restart(owner(situation))),
    fault('a fourth node joins or leaves', plannedMs, async () => {
      if (guest.pid === 0) guest.start()
      else await guest.end('SIGTERM')
    }),
    fault('rolling restart of the nodes', rollingMs, async ({ served }) => {
      for (const node of shuffled(nodes)) {
        await restart(node)
        await served()
      }
    }),
    fault('an owner frozen beyond its TTL', deathMs, (situation) => {
      const node = owner(situation)
      return away(
        () => node.signal('SIGSTOP'),
        () => node.signal('SIGCONT'),
      )
    }),
    fault('an owner cut from NATS, old frames released', deathMs, (situation) => {
      const node = owner(situation)
      return away(
        () => cluster.cutNode(node),
        () => cluster.reconnectNode(node),
      )
    }),
    fault('kill -9 of a nats-server', natsMs, () => {
      const server = pick(servers)
      return away(
        () => server.kill('SIGKILL'),
        () => server.restart(),
      )
    }),
    fault('a nats-server frozen', natsMs, () => {
      const server = pick(servers)
      return away(
        () => server.kill('SIGSTOP'),
        () => server.kill('SIGCONT'),
      )
    }),
    fault('a nats-server cut from its peers', natsMs, () => {
      const server = random.int(servers.length)
      return away(
        () => cluster.cutServer(server),
        () => cluster.reconnectServer(server),
      )
    }),
    fault("a stream's leader steps down", rollingMs, () =>
      cluster.stepDown(`KIROKU_main_${random.int(partitions)}`),
    ),
    outage('two of three nats-servers gone', quorumMs, () => {
      const two = shuffled(servers).slice(1)
      return away(
        () => Promise.all(two.map((server) => server.kill('SIGKILL'))),
        () => Promise.all(two.map((server) => server.restart())),
      )
    }),
    fault('rolling restart of the nats-servers', natsMs, async () => {
      for (const server of shuffled(servers)) {
        await server.restart()
        await cluster.caughtUp()
      }
    }),
    outage('everything killed at once', coldStartMs, async () => {
      const running = cluster.all.filter(({ pid }) => pid > 0)
      onKill('server')
      await Promise.all([
        ...running.map((node) => node.end('SIGKILL')),
        ...servers.map((server) => server.kill('SIGKILL')),
      ])
      for (const node of running) node.start()
      await pause(random.int(2_000))
      await Promise.all(servers.map((server) => server.restart()))
    }),
    ...(cluster.hasPrevious
      ? [
          fault('a node upgraded, another put back', rollingMs, async ({ served }) => {
            const old = nodes.find((node) => cluster.isPrevious(node))!
            const next = pick(nodes.filter((node) => node !== old))
            cluster.setRelease(old, 'present')
            await restart(old)
            await served()
            cluster.setRelease(next, 'previous')
            await restart(next)
          }),
        ]
      : []),
    ...(disk === undefined
      ? []
      : [
          fault('the disk of a nats-server full', natsMs, () =>
            away(
              () => cluster.fillDisk(),
              async () => {
                await cluster.emptyDisk()
                // It fails on until it is started again.
                await servers[2]!.restart()
              },
            ),
          ),
        ]),
  ]
}
