import type { StreamReplica } from '../../log/logAdapter.ts'
import { formatBytes, formatDuration, type PartitionDescription } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { columns } from '../../cli/columns.ts'
import { describeCluster } from '../../serve/describeCluster.ts'
import { tellOutage } from '../../serve/tellOutage.ts'
import { lookOptions, withClient } from '../../serve/withClient.ts'

const wholeSeconds = (ms: number): number => Math.max(0, Math.floor(ms / 1_000) * 1_000)

const replicaText = ({ server, isCurrent, isOffline, lag, heardMs }: StreamReplica): string =>
  `${server} ${isOffline ? 'offline' : isCurrent && lag === 0 ? 'current' : `${lag} behind`}, heard ${formatDuration(heardMs)} ago`

const outboxText = ({ outbox, held = [] }: Partial<PartitionDescription>): string => {
  const waiting = held.reduce((sum, { messages }) => sum + messages, 0)
  return `${outbox ?? '?'}${waiting === 0 ? '' : ` (${waiting} cannot arrive)`}`
}

export const run = (invocation: Invocation): Promise<void> =>
  withClient(
    invocation,
    async (client, { nats, log }) => {
      const { out } = invocation
      const { nodes, partitions, outage } = await describeCluster(nats, log, client)
      tellOutage(outage, out)
      const nodeRows = nodes.map((node) => [
        node.address,
        `${node.host} (process ${node.pid})`,
        node.leaving ? 'leaving' : node.healthy ? 'healthy' : 'gone',
        node.partitions.join(', ') || 'none',
      ])
      out.line(columns([['node', 'where', 'state', 'partitions'], ...nodeRows]))
      out.line()
      const hostOf = (owner: string | undefined): string =>
        nodes.find(({ address }) => address === owner)?.address ?? 'none'
      const partitionRows = partitions.map((p) => [
        String(p.partition),
        hostOf(p.owner),
        p.state ?? 'no answer',
        String(p.epoch ?? '?'),
        p.epochAt === undefined || p.epochAt === 0
          ? '?'
          : formatDuration(wholeSeconds(Date.now() - p.epochAt)),
        String(p.queues ?? '?'),
        p.lastSeq === undefined ? '?' : `${p.firstSeq}–${p.lastSeq}`,
        p.bytes === undefined ? '?' : formatBytes(p.bytes),
        outboxText(p),
        p.stream?.leader ?? '?',
        p.stream === undefined ? '?' : p.stream.replicas.map(replicaText).join(', ') || 'none',
      ])
      const head = [
        'partition',
        'owner',
        'state',
        'epoch',
        'for',
        'queues',
        'sequences',
        'log',
        'outbox',
        'stream led by',
        'replicas',
      ]
      out.line(columns([head, ...partitionRows]))
      out.result({ log, nodes, partitions, ...(outage === undefined ? {} : { outage }) })
    },
    lookOptions,
  )
