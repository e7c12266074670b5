import type { StreamReplica } from '../../log/logAdapter.ts'
import { formatBytes, formatDuration, type PartitionDescription } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { columns } from '../../cli/columns.ts'
import { type ClusterPartition, describeCluster } from '../../serve/describeCluster.ts'
import { tellOutage } from '../../serve/tellOutage.ts'
import { lookOptions, withClient } from '../../serve/withClient.ts'

const wholeSeconds = (ms: number): number => Math.max(0, Math.floor(ms / 1_000) * 1_000)

const replicaText = ({ server, isCurrent, isOffline, lag, heardMs }: StreamReplica): string =>
  `${server} ${isOffline ? 'offline' : isCurrent && lag === 0 ? 'current' : `${lag} behind`}, heard ${formatDuration(heardMs)} ago`

const outboxText = ({ outbox, held = [] }: Partial<PartitionDescription>): string => {
  const waiting = held.reduce((sum, { messages }) => sum + messages, 0)
  return `${outbox ?? '?'}${waiting === 0 ? '' : ` (${waiting} cannot arrive)`}`
}

const standbyText = ({ standby, standbyBehind: behind }: ClusterPartition): string =>
  standby === undefined ? 'none' : behind === undefined ? standby : `${standby} (${behind} behind)`

const pinText = ({ pin }: ClusterPartition): string => {
  if (pin === undefined) return 'none'
  const { host, by } = pin
  return `${host} (by ${by.name}${by.reason === undefined ? '' : `: ${by.reason}`})`
}

/** The version in force, and what can be done about it. */
const versionText = (
  version: number | undefined,
  nodes: readonly { readonly healthy: boolean; readonly featureLevel: number | undefined }[],
): string => {
  const levels = nodes.flatMap(({ healthy, featureLevel = 0 }) => (healthy ? [featureLevel] : []))
  const lowest = Math.min(...levels)
  const canRise = version !== undefined && lowest > version && levels.every((level) => level === lowest)
  return `${version ?? 'unknown'}${canRise ? `; every node reads ${lowest}: \`kiroku cluster finalize\` puts it in force` : ''}`
}

export const run = (invocation: Invocation): Promise<void> =>
  withClient(
    invocation,
    async (client, { nats, log }) => {
      const { out } = invocation
      const { nodes, partitions, clusterVersion, outage } = await describeCluster(nats, log, client)
      tellOutage(outage, out)
      const nodeRows = nodes.map((node) => [
        node.address,
        `${node.host} (process ${node.pid})`,
        node.version ?? 'unknown',
        String(node.featureLevel ?? 'unknown'),
        node.zone || 'none',
        String(node.weight ?? 'unknown'),
        node.leaving ? 'leaving' : node.healthy ? 'healthy' : 'gone',
        node.partitions.join(', ') || 'none',
      ])
      out.line(
        columns([
          ['node', 'where', 'version', 'feature level', 'zone', 'weight', 'state', 'partitions'],
          ...nodeRows,
        ]),
      )
      for (const { address, refused } of nodes)
        if (refused !== undefined)
          out.line(`node ${address} cannot read partition ${refused.partition}: ${refused.reason}`)
      out.line(`cluster version ${versionText(clusterVersion, nodes)}`)
      out.line()
      const hostOf = (owner: string | undefined): string =>
        nodes.find(({ address }) => address === owner)?.address ?? 'none'
      const partitionRows = partitions.map((p) => [
        String(p.partition),
        hostOf(p.owner),
        standbyText(p),
        pinText(p),
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
        'standby',
        'pinned to',
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
      out.result({ log, clusterVersion, nodes, partitions, ...(outage === undefined ? {} : { outage }) })
    },
    lookOptions,
  )
