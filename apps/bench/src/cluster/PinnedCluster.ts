import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectClient } from '@kiroku/client-nats'
import { pinPartition } from '@kiroku/cluster'
import { connect } from '@kiroku/nats'
import { startServer } from '@kiroku/nats-server'
import { ClusterNode } from './ClusterNode.ts'
import type { ClusterRun } from './ClusterRun.ts'

const log = 'main'
const by = { name: 'bench', origin: 'bench' }
const lookMs = 20
const moveMsMax = 60_000

/** Nodes whose partitions move when they are pinned elsewhere, which takes no process's start. */
export class PinnedCluster implements AsyncDisposable {
  readonly nats: string
  readonly nodes: readonly ClusterNode[]
  readonly partitions: number
  readonly #pin: (partition: number, host: string) => Promise<unknown>
  readonly #owners: () => Promise<ReadonlyMap<number, string>>
  readonly #closers: (() => Promise<unknown>)[]

  private constructor(
    parts: Pick<PinnedCluster, 'nats' | 'nodes' | 'partitions'>,
    pin: (partition: number, host: string) => Promise<unknown>,
    owners: () => Promise<ReadonlyMap<number, string>>,
    closers: (() => Promise<unknown>)[],
  ) {
    this.nats = parts.nats
    this.nodes = parts.nodes
    this.partitions = parts.partitions
    this.#pin = pin
    this.#owners = owners
    this.#closers = closers
  }

  static async start(
    { folder }: ClusterRun,
    { nodes: count, partitions }: { readonly nodes: number; readonly partitions: number },
  ): Promise<PinnedCluster> {
    const closers: (() => Promise<unknown>)[] = []
    const server = await startServer({ syncInterval: 'always' })
    closers.push(() => server.stop())
    const setup = { nats: server.url, folder: await folder(), partitions }
    const nodes = Array.from({ length: count }, (_, i) => new ClusterNode(`node${i + 1}`, setup))
    closers.push(() => Promise.all(nodes.map((node) => node.end('SIGKILL'))))
    const nats = await connect({ servers: server.url })
    closers.push(() => nats.close())
    const client = await connectClient({ servers: server.url, onEvent: () => {} })
    closers.push(() => client.close())
    const owners = async (): Promise<ReadonlyMap<number, string>> => {
      const all = await client.partitions().catch(() => [])
      return new Map(
        all.flatMap(({ partition, state, node }) =>
          state === 'Active' ? [[partition, node.replace(/-\d+$/, '')]] : [],
        ),
      )
    }
    const pin = (partition: number, host: string) => pinPartition(nats, log, partition, host, by)
    const cluster = new PinnedCluster({ nats: server.url, nodes, partitions }, pin, owners, closers)
    for (const node of nodes) node.start()
    await cluster.#until((at) => at.size === partitions && new Set(at.values()).size === count)
    return cluster
  }

  /** Moves partitions to a node, the others stay where they are; resolves when all are there. */
  async move(partitions: readonly number[], to: ClusterNode): Promise<void> {
    await Promise.all(partitions.map((partition) => this.#pin(partition, to.name)))
    await this.#until((at) => partitions.every((partition) => at.get(partition) === to.name))
  }

  async #until(holds: (owners: ReadonlyMap<number, string>) => boolean): Promise<void> {
    const untilMs = performance.now() + moveMsMax
    while (!holds(await this.#owners())) {
      if (performance.now() > untilMs) throw new Error('partitions did not move')
      await pause(lookMs)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closers.toReversed()) await close()
  }
}
