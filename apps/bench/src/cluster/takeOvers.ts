import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectClient } from '@kiroku/client-nats'
import { openLog } from '@kiroku/log-jetstream'
import { connect } from '@kiroku/nats'
import { startServer } from '@kiroku/nats-server'
import { partitionOf } from '@kiroku/protocol'
import { writeRecord } from '../audit/writeRecord.ts'
import { atMost, type Figure, informs } from '../Figure.ts'
import { ClusterNode } from './ClusterNode.ts'
import type { ClusterRun } from './ClusterRun.ts'

/** Messages of a record: that many are sent, delivered and acknowledged in each. */
const perFrame = 10
const lookMs = 20
const readyMsMax = 170_000
/** A node rests that takes so little of its processor in a while, in ms. */
const restMs = 2_000
const restMsMax = 200
/** After which a node of the default TTL counts as dead for certain, in ms. */
const deadMs = 4_000

interface Age {
  readonly nodes: number
  readonly partitions: number
  /** In each partition. */
  readonly records: number
  readonly flags?: readonly string[]
}

/** Nodes that own partitions with a long record, and have come to rest. */
class AgedCluster implements AsyncDisposable {
  readonly nodes: readonly ClusterNode[]
  readonly #closers: (() => Promise<unknown>)[]
  readonly #owners: () => Promise<number>

  private constructor(
    nodes: readonly ClusterNode[],
    owners: () => Promise<number>,
    closers: (() => Promise<unknown>)[],
  ) {
    this.nodes = nodes
    this.#owners = owners
    this.#closers = closers
  }

  static async start({ progress, folder }: ClusterRun, age: Age): Promise<AgedCluster> {
    const { partitions, records, flags = [] } = age
    progress.step(`${(records * partitions).toLocaleString('en')} records in ${partitions} partitions`)
    const closers: (() => Promise<unknown>)[] = []
    const server = await startServer({})
    closers.push(() => server.stop())
    const [nats, reader] = await Promise.all([
      connect({ servers: server.url }),
      connect({ servers: server.url }),
    ])
    closers.push(() => Promise.all([nats.close(), reader.close()]))
    const log = await openLog(nats, { name: 'main', create: { partitions }, reader })
    const logs = await Promise.all(Array.from({ length: partitions }, (_, at) => log.partition(at)))
    const lives = records * perFrame
    const shape = { perFrame, lives, untouched: 0, live: 0, bodyBytes: 100 }
    await Promise.all(logs.map((each, at) => writeRecord(each, { ...shape, name: nameIn(at, partitions) })))
    progress.step(`${age.nodes} nodes load it`)
    const setup = { nats: server.url, folder: await folder(), partitions, flags }
    const nodes = Array.from({ length: age.nodes }, (_, i) => new ClusterNode(`node${i + 1}`, setup))
    closers.push(() => Promise.all(nodes.map((node) => node.end('SIGKILL'))))
    const client = await connectClient({ servers: server.url, onEvent: () => {} })
    closers.push(() => client.close())
    const owners = async (): Promise<number> =>
      (await client.partitions().catch(() => [])).filter(({ state }) => state === 'Active').length
    const cluster = new AgedCluster(nodes, owners, closers)
    try {
      for (const node of nodes) node.start()
      await cluster.served(partitions)
      await Promise.all(logs.map((each) => each.close()))
      await cluster.#rested()
      return cluster
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
  }

  /** How much processor time the nodes have taken, in ms. */
  processorMs(): number {
    return this.nodes.reduce((sum, node) => sum + node.processorMs(), 0)
  }

  /** Resolves when the nodes have loaded and stored what they want to. */
  #rested(): Promise<void> {
    return until(async () => {
      const beforeMs = this.processorMs()
      await pause(restMs)
      return this.processorMs() - beforeMs < this.nodes.length * restMsMax
    }, 'the nodes do not come to rest')
  }

  /** Resolves when at least this many partitions are served. */
  served(partitions: number): Promise<void> {
    return until(async () => (await this.#owners()) >= partitions, 'not every partition is served')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closers.toReversed()) await close()
  }
}

const until = async (holds: () => Promise<boolean>, otherwise: string): Promise<void> => {
  const untilMs = performance.now() + readyMsMax
  while (!(await holds())) {
    if (performance.now() > untilMs) throw new Error(otherwise)
    await pause(lookMs)
  }
}

/** A name that lies in a partition. */
const nameIn = (partition: number, partitions: number): string => {
  for (let i = 0; ; i++) if (partitionOf(`old-${i}`, partitions) === partition) return `old-${i}`
}

const words = (records: number): string => `${records.toLocaleString('en')} records`

/** What a node spends on the partitions of one that was killed. */
const afterDeath = async (run: ClusterRun, age: Omit<Age, 'nodes'>): Promise<number> => {
  await using cluster = await AgedCluster.start(run, { ...age, nodes: 2 })
  const [first, second] = cluster.nodes as [ClusterNode, ClusterNode]
  run.progress.step('one of two is killed')
  await first.end('SIGKILL')
  // Both see it at the same time; what the survivor does before is its share at rest.
  const beforeMs = second.processorMs()
  await pause(lookMs)
  await cluster.served(age.partitions)
  return (second.processorMs() - beforeMs) / 1_000
}

/** What a take-over costs behind old records, of one partition and of eight, and all partitions at a cold start. */
export const takeOvers = async (run: ClusterRun): Promise<Figure[]> => {
  const { one, eight, cold } = run.sizes.oldRecords
  const figures: Figure[] = []
  const flags = ['--standby', 'off']
  const few = { partitions: 2, records: one, flags }
  const many = { partitions: 16, records: Math.ceil(eight / 8), flags }
  figures.push(
    atMost(`take-over behind ${words(one)}, no standby: processor`, await afterDeath(run, few), 's', 0.25),
    atMost(
      `take-over of 8 partitions with ${words(eight)}, no standby: processor`,
      await afterDeath(run, many),
      's',
      1,
    ),
    informs(
      `take-over of 8 partitions with ${words(eight)}, with standbys: processor`,
      await afterDeath(run, { ...many, flags: [] }),
      's',
    ),
  )
  const partitions = 16
  await using cluster = await AgedCluster.start(run, { nodes: 3, partitions, records: cold })
  const { nodes } = cluster
  await Promise.all(nodes.map((node) => node.end('SIGKILL')))
  await pause(deadMs)
  run.progress.step('cold start')
  const used = (): number => cluster.processorMs() / nodes.length / 1_000
  for (const node of nodes) node.start()
  const beganMs = performance.now()
  await cluster.served(1)
  const first = { core: used(), wall: (performance.now() - beganMs) / 1_000 }
  await cluster.served(partitions)
  const last = { core: used(), wall: (performance.now() - beganMs) / 1_000 }
  const what = `cold start, 16 partitions with ${words(cold)} each, 3 nodes`
  figures.push(
    atMost(`${what}: processor per node until the first serves`, first.core, 's', 1),
    atMost(`${what}: until the last serves`, last.core, 's', 5),
    informs(`${what}: time until the first serves`, first.wall, 's'),
    informs(`${what}: time until the last serves`, last.wall, 's'),
  )
  return figures
}
