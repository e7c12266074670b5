import type { Client } from '@kiroku/client'
import { clusterStatus, type ClusterStatus } from '@kiroku/cluster'
import { streamPlacements, type StreamPlacement } from '../log/logAdapter.ts'
import type { connect } from '@kiroku/nats'
import type { PartitionDescription } from '@kiroku/protocol'

/** A connection to NATS. */
export type Nats = Awaited<ReturnType<typeof connect>>

/**
 * Nodes and partitions of a log: from the locks, the owners' descriptions, and JetStream's placement of the
 * log.
 */
export const describeCluster = async (nats: Nats, log: string, client: Pick<Client, 'partitions'>) => {
  const [status, descriptions] = await Promise.all([clusterStatus(nats, log), client.partitions()])
  // The rest is useful even while JetStream does not report this.
  const streams = await streamPlacements(nats, log, status.partitions.length).catch(() => undefined)
  const byPartition = new Map(descriptions.map((description) => [description.partition, description]))
  const versions = descriptions.flatMap(({ clusterVersion }) => clusterVersion ?? [])
  return {
    log,
    // While a finalization is not through, its partitions differ.
    ...(versions.length === 0 ? {} : { clusterVersion: Math.min(...versions) }),
    nodes: status.runners.map((runner) => ({
      ...runner,
      partitions: status.partitions
        .filter(({ owner }) => owner === runner.address)
        .map(({ partition }) => partition),
    })),
    partitions: status.partitions.map(({ partition, owner, lockedAt }): ClusterPartition => ({
      partition,
      owner,
      lockedAt,
      ...withoutNumber(byPartition.get(partition)),
      ...streamOf(streams?.get(partition)),
    })),
  }
}

/**
 * A partition: the holder of its lock, its owner's description if it answers, and the placement of its
 * stream.
 */
export type ClusterPartition = Pick<
  ClusterStatus['partitions'][number],
  'partition' | 'owner' | 'lockedAt'
> & {
  readonly stream?: StreamPlacement
} & Partial<Omit<PartitionDescription, 'partition'>>

const streamOf = (stream: StreamPlacement | undefined) => (stream === undefined ? {} : { stream })

const withoutNumber = (description: PartitionDescription | undefined) => {
  if (description === undefined) return {}
  const { partition: _, ...rest } = description
  return rest
}
