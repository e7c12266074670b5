import { columns } from '../cli/columns.ts'
import type { Invocation } from '../cli/CommandSpec.ts'
import { formatBytes } from '../config/units.ts'
import { describeCluster } from '../serve/describeCluster.ts'
import { withClient } from '../serve/withClient.ts'

export const run = (invocation: Invocation): Promise<void> =>
  withClient(invocation, async (client, { nats, log }) => {
    const { out } = invocation
    const { nodes, partitions } = await describeCluster(nats, log, client)
    const nodeRows = nodes.map((node) => [
      node.address,
      `${node.host} (process ${node.pid})`,
      node.leaving ? 'leaving' : node.healthy ? 'healthy' : 'gone',
      node.partitions.join(', ') || 'none',
    ])
    out.line(columns([['node', 'where', 'state', 'partitions'], ...nodeRows]))
    out.line()
    const hostOf = (owner: string | undefined): string =>
      nodes.find(({ address }) => address === owner)?.address ?? 'nobody'
    const partitionRows = partitions.map((p) => [
      String(p.partition),
      hostOf(p.owner),
      p.state ?? 'no answer',
      String(p.epoch ?? '?'),
      String(p.queues ?? '?'),
      p.lastSeq === undefined ? '?' : `${p.firstSeq}–${p.lastSeq}`,
      p.bytes === undefined ? '?' : formatBytes(p.bytes),
      String(p.outbox ?? '?'),
    ])
    const head = ['partition', 'owner', 'state', 'epoch', 'queues', 'sequences', 'log', 'outbox']
    out.line(columns([head, ...partitionRows]))
    out.result({ log, nodes, partitions })
  })
