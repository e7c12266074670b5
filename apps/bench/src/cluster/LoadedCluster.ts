import { setTimeout as pause } from 'node:timers/promises'
import { startServer, type Server } from '@kiroku/nats-server'
import { startNatsCluster } from '@kiroku/testkit'
import { LoadProcess } from '../LoadProcess.ts'
import type { ClusterLoad } from '../load/clusterLoad.ts'
import { ClusterNode } from './ClusterNode.ts'
import type { ClusterRun } from './ClusterRun.ts'
import type { ClusterSizes } from './sizes.ts'

/** What clients felt: longest time without a success of any queue, sends begun meanwhile, and their failures. */
export type Felt = Awaited<ReturnType<ClusterLoad['felt']>>

/** How long every partition must have had its owner before the next change, in ms. */
const steadyMs = 1_500
const settleMsMax = 60_000
const lookMs = 50

/** What a cluster consists of. */
interface ClusterShape {
  /** Nats-servers, and replicas of the log; default: 1. */
  readonly servers?: 1 | 3
  /** More flags of `kiroku serve`. */
  readonly flags?: readonly string[]
}

/** Nodes over nats-servers that store durably, with a log behind them and a load on them. */
export class LoadedCluster implements AsyncDisposable {
  readonly servers: readonly Server[]
  /** The addresses of the servers, with commas. */
  readonly nats: string
  readonly nodes: readonly ClusterNode[]
  readonly load: LoadProcess<ClusterLoad>
  readonly #sizes: ClusterSizes

  private constructor(servers: readonly Server[], nodes: readonly ClusterNode[], sizes: ClusterSizes) {
    this.servers = servers
    this.nats = natsOf(servers)
    this.nodes = nodes
    this.#sizes = sizes
    this.load = new LoadProcess<ClusterLoad>('clusterLoad', 'cluster', [this.nats])
  }

  static async start(
    { sizes, progress, folder }: ClusterRun,
    { servers: replicas = 1, flags = [] }: ClusterShape = {},
  ): Promise<LoadedCluster> {
    const { partitions } = sizes
    progress.step(`starting ${sizes.nodes} nodes`)
    const servers =
      replicas === 1 ? [await startServer({ syncInterval: 'always' })] : (await startNatsCluster()).servers
    const setup = { nats: natsOf(servers), folder: await folder(), partitions, replicas, flags }
    const nodes = Array.from({ length: sizes.nodes }, (_, i) => new ClusterNode(`node${i + 1}`, setup))
    const cluster = new LoadedCluster(servers, nodes, sizes)
    try {
      for (const node of nodes) node.start()
      await cluster.settled()
      progress.step(`${(sizes.aged * partitions).toLocaleString('en')} messages live and end`)
      await cluster.load.ask('age', { partitions, messages: sizes.aged })
      await cluster.load.ask('begin', sizes)
      return cluster
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Does something to the cluster, waits until all is well again, and says what clients felt. */
  async feel(change: () => Promise<void>): Promise<Felt> {
    await this.load.ask('open')
    await change()
    await this.settled()
    return this.load.ask('felt')
  }

  /** Resolves when every partition is served, and every node that runs has some, without a change for a while. */
  async settled(): Promise<void> {
    const startMs = performance.now()
    let before = ''
    let sinceMs = startMs
    for (;;) {
      const owners = await this.load.ask('owners')
      const running = this.nodes.filter(({ isRunning }) => isRunning)
      const isWhole =
        owners.length === this.#sizes.partitions &&
        running.every(({ name }) => owners.some((owner) => owner.startsWith(`${name}-`)))
      const now = isWhole ? owners.join() : ''
      const nowMs = performance.now()
      if (now !== before) sinceMs = nowMs
      before = now
      if (isWhole && nowMs - sinceMs >= steadyMs) return
      if (nowMs - startMs > settleMsMax)
        throw new Error(`not every partition is served: ${owners.join(', ')}`)
      await pause(lookMs)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.load.end()
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL')))
    await Promise.all(this.servers.map((server) => server.stop()))
  }
}

const natsOf = (servers: readonly Server[]): string => servers.map(({ url }) => url).join(',')
