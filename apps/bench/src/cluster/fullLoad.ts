import type { Client } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import { startServer } from '@kiroku/nats-server'
import { partitionOf } from '@kiroku/protocol'
import { atLeast, atMost, type Figure, informs, median } from '../Figure.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import { LoadProcess } from '../LoadProcess.ts'
import { ClusterNode } from './ClusterNode.ts'
import type { ClusterRun } from './ClusterRun.ts'

const partitions = 8
const batch = 100
const bodyBytes = 128
const lookMs = 100

/** How many nodes, and by how much their processor per life may exceed that of one. */
const others = [
  [2, 15],
  [4, 30],
] as const

interface Loaded {
  /** µs of the nodes' processors. */
  readonly perLife: number
  readonly lives: number
  /** Stored per life. */
  readonly records: number
}

/** What more nodes on the same processors cost per life, against one. */
export const fullLoad = async (run: ClusterRun): Promise<Figure[]> => {
  const one = await loaded(run, 1)
  const figures = [
    informs('full load, 1 node: processor of the nodes per life', one.perLife, 'µs'),
    informs('full load, 1 node', one.lives, 'lives/s'),
    informs('full load, 1 node: records per 1,000 lives', one.records * 1_000, ''),
  ]
  for (const [nodes, percent] of others) {
    const { perLife, lives, records } = await loaded(run, nodes)
    figures.push(
      atMost(
        `full load, ${nodes} nodes: more processor per life`,
        100 * (perLife / one.perLife - 1),
        '%',
        percent,
      ),
      atLeast(`full load, ${nodes} nodes: lives/s against one node`, lives / one.lives, '×', 1),
      informs(`full load, ${nodes} nodes: records per 1,000 lives`, records * 1_000, ''),
    )
  }
  return figures
}

const loaded = async ({ sizes, progress, folder }: ClusterRun, count: number): Promise<Loaded> => {
  progress.step(`full load on ${count} ${count === 1 ? 'node' : 'nodes'}`)
  const closers: (() => Promise<unknown>)[] = []
  try {
    const server = await startServer({ syncInterval: 'always' })
    closers.push(() => server.stop())
    const setup = { nats: server.url, folder: await folder(), partitions }
    const nodes = Array.from({ length: count }, (_, i) => new ClusterNode(`node${i + 1}`, setup))
    closers.push(() => Promise.all(nodes.map((node) => node.end('SIGKILL'))))
    for (const node of nodes) node.start()
    const client = await connect({ servers: server.url, onEvent: () => {} })
    closers.push(() => client.close())
    await settled(client, count)
    const queues = Array.from({ length: partitions }, (_, partition) => {
      for (let i = 0; ; i++) if (partitionOf(`full-${i}`, partitions) === partition) return `full-${i}`
    })
    const [producer, consumer] = ['producer', 'consumer'].map(
      (name) => new LoadProcess<KirokuLoad>('kirokuLoad', name, [server.url]),
    ) as [LoadProcess<KirokuLoad>, LoadProcess<KirokuLoad>]
    closers.push(() => Promise.all([producer.end(), consumer.end()]))
    await producer.ask('create', queues)
    await consumer.ask('consume', { queues, batch, concurrency: 8 })
    const costs: number[] = []
    const rates: number[] = []
    const used = (): number => nodes.reduce((sum, node) => sum + node.processorMs(), 0)
    const stored = async () => (await client.partitions()).reduce((sum, { lastSeq }) => sum + lastSeq, 0)
    let storedBefore = 0
    // The first warms up.
    for (let round = 0; round <= sizes.loadRounds; round++) {
      const beforeMs = used()
      const beganMs = performance.now()
      await Promise.all([
        consumer.ask('acknowledged', sizes.lives),
        producer.ask('send', { queues, messages: sizes.lives, batch, bodyBytes, window: 64 }),
      ])
      if (round === 0) {
        storedBefore = await stored()
        continue
      }
      costs.push(((used() - beforeMs) * 1_000) / sizes.lives)
      rates.push((sizes.lives * 1_000) / (performance.now() - beganMs))
    }
    const records = ((await stored()) - storedBefore) / (sizes.lives * sizes.loadRounds)
    await consumer.ask('stop')
    return { perLife: median(costs), lives: median(rates), records }
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

/** Resolves when each node owns its share. */
const settled = async (client: Client, nodes: number): Promise<void> => {
  for (;;) {
    const all = await client.partitions().catch(() => [])
    const owners = Map.groupBy(
      all.filter(({ state }) => state === 'Active'),
      ({ node }) => node,
    )
    if (owners.size === nodes && [...owners.values()].every(({ length }) => length === partitions / nodes))
      return
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}
