import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '@kiroku/nats'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { atMost, type Figure, informs, median } from '../Figure.ts'
import { BareStreams } from './BareStreams.ts'
import type { ClusterRun } from './ClusterRun.ts'
import { errors, seconds } from './felt.ts'
import { type Felt, LoadedCluster } from './LoadedCluster.ts'

const streamOf = (partition: number): string => `KIROKU_main_${partition}`
const heartbeats = 'KV_KIROKU_main_RUNNERS'
const lookMs = 20
const electionMsMax = 60_000

/** What clients feel of NATS's own changes, with three servers and three replicas. */
export const threeServers = async (run: ClusterRun): Promise<Figure[]> => {
  await using cluster = await LoadedCluster.start(run, { servers: 3 })
  const { progress, sizes } = run
  const { servers, load } = cluster
  const nats = await connect({ servers: cluster.nats.split(',') })
  try {
    const manager = await jetstreamManager(nats)
    const isLed = (partition: number) =>
      leaderOf(manager, streamOf(partition)).then((leader) => leader !== undefined)
    const led = async (): Promise<number> => {
      const beganMs = performance.now()
      for (let partition = 0; partition < sizes.partitions;)
        if (await isLed(partition)) partition++
        else if (performance.now() - beganMs > electionMsMax) throw new Error('NATS elected no leader')
        else await pause(lookMs)
      return performance.now() - beganMs
    }
    const steppedDown: Felt[] = []
    const elections: number[] = []
    for (let trial = 0; trial < sizes.trials; trial++) {
      progress.step(`the leader of a stream steps down ${trial + 1} of ${sizes.trials}`)
      const partition = trial % sizes.partitions
      steppedDown.push(
        await cluster.feel(async () => {
          const before = await leaderOf(manager, streamOf(partition))
          const beganMs = performance.now()
          await nats.request(`$JS.API.STREAM.LEADER.STEPDOWN.${streamOf(partition)}`, '', { timeout: 5_000 })
          await anotherLeads(manager, streamOf(partition), before)
          elections.push(performance.now() - beganMs)
        }),
      )
    }
    const rolled: Felt[] = []
    const bare: number[] = []
    const served: number[] = []
    const elected: number[] = []
    const roll = async (): Promise<void> => {
      await using streams = await BareStreams.start(cluster.nats)
      rolled.push(
        await cluster.feel(async () => {
          streams.take()
          for (const server of servers) {
            await server.kill('SIGTERM')
            await server.restart()
            await led()
            await cluster.settled()
          }
        }),
      )
      bare.push(streams.take())
    }
    const killed: Felt[] = []
    const afterDeath: number[] = []
    let moved = 0
    const killLeader = async (): Promise<void> => {
      const leader = await leaderOf(manager, heartbeats)
      const server = servers[Number(leader?.slice(1)) - 1]!
      const before = await load.ask('owners')
      killed.push(
        await cluster.feel(async () => {
          const beganMs = performance.now()
          await server.kill('SIGKILL')
          await anotherLeads(manager, heartbeats, leader)
          await led()
          afterDeath.push(performance.now() - beganMs)
          await load.ask('untilServed')
        }),
      )
      const after = await load.ask('owners')
      moved += after.filter((owner, partition) => owner !== before[partition]).length
      await server.restart()
      await cluster.settled()
    }
    for (let round = 0; round < sizes.rounds; round++) {
      progress.step(`the server that leads the heartbeats dies ${round + 1} of ${sizes.rounds}`)
      await killLeader()
      progress.step(`rolling restart of the nats-servers ${round + 1} of ${sizes.rounds}`)
      await roll()
      progress.step(`no quorum for ${sizes.quorumSeconds} s ${round + 1} of ${sizes.rounds}`)
      const [, ...others] = servers
      for (const server of others) await server.kill('SIGKILL')
      await pause(sizes.quorumSeconds * 1_000)
      await Promise.all(others.map((server) => server.restart()))
      const [servedMs, electedMs] = await Promise.all([load.ask('untilServed'), led()])
      served.push(servedMs)
      elected.push(electedMs)
      await cluster.settled()
    }
    const longest = ({ sendPauseMs }: Felt): number => sendPauseMs
    const electionSeconds = median(elections) / 1_000
    return [
      informs("a stream's leader steps down: NATS's own election", electionSeconds, 's'),
      atMost(
        "a stream's leader steps down: longest pause of sends beyond that",
        Math.max(0, seconds(steppedDown, longest) - electionSeconds),
        's',
        1,
      ),
      informs(
        'rolling restart of three nats-servers: longest pause of a bare publisher',
        median(bare) / 1_000,
        's',
      ),
      atMost(
        'rolling restart of three nats-servers: longest pause of sends beyond that',
        Math.max(0, median(rolled.map((felt, round) => longest(felt) - bare[round]!)) / 1_000),
        's',
        1,
      ),
      informs("no quorum for a while: NATS's own election after it", median(elected) / 1_000, 's'),
      atMost(
        'no quorum for a while: until all partitions serve, beyond that',
        Math.max(0, median(served) - median(elected)) / 1_000,
        's',
        3,
      ),
      informs(
        "the nats-server that leads the heartbeats dies: NATS's own elections",
        median(afterDeath) / 1_000,
        's',
      ),
      informs(
        'the nats-server that leads the heartbeats dies: longest pause of sends beyond that',
        Math.max(0, median(killed.map((felt, round) => longest(felt) - afterDeath[round]!)) / 1_000),
        's',
      ),
      atMost('the nats-server that leads the heartbeats dies: partitions that moved', moved, '', 0),
      atMost('three nats-servers: sends that failed', errors([...steppedDown, ...rolled, ...killed]), '', 0),
    ]
  } finally {
    await nats.close()
  }
}

/** The server that leads a stream; undefined: there is none now. */
const leaderOf = async (manager: JetStreamManager, stream: string): Promise<string | undefined> => {
  try {
    const { cluster } = await manager.streams.info(stream)
    return cluster?.leader
  } catch {
    return undefined
  }
}

/** Waits until another server than before leads a stream. */
const anotherLeads = async (
  manager: JetStreamManager,
  stream: string,
  before: string | undefined,
): Promise<void> => {
  for (let now = before; now === before || now === undefined; await pause(lookMs))
    now = await leaderOf(manager, stream)
}
