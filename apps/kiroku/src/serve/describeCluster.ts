import type { Client } from '@kiroku/client'
import { clusterStatus } from '@kiroku/cluster'
import type { connect } from '@kiroku/nats'
import type { PartitionDescription } from '@kiroku/partition'

/** A connection to NATS. */
export type Nats = Awaited<ReturnType<typeof connect>>

/** Nodes and partitions of a log: what the locks say, and what the owners say of themselves. */
export const describeCluster = async (nats: Nats, log: string, client: Pick<Client, 'partitions'>) => {
  const [status, descriptions] = await Promise.all([clusterStatus(nats, log), client.partitions()])
  const byPartition = new Map(descriptions.map((description) => [description.partition, description]))
  return {
    log,
    nodes: status.runners.map((runner) => ({
      ...runner,
      partitions: status.partitions
        .filter(({ owner }) => owner === runner.address)
        .map(({ partition }) => partition),
    })),
    partitions: status.partitions.map(({ partition, owner }): ClusterPartition => ({
      partition,
      owner,
      ...withoutNumber(byPartition.get(partition)),
    })),
  }
}

/** A partition: who holds its lock, and how its owner describes it where it answers. */
export type ClusterPartition = { readonly partition: number; readonly owner: string | undefined } & Partial<
  Omit<PartitionDescription, 'partition'>
>

const withoutNumber = (description: PartitionDescription | undefined) => {
  if (description === undefined) return {}
  const { partition: _, ...rest } = description
  return rest
}
