import {
  type Command,
  featureLevel,
  KirokuError,
  type PartitionDescription,
  type Reply,
} from '@kiroku/protocol'

/**
 * Refuses to join the nodes of a log whose cluster version is above what this node reads, as far as its owners say: it would
 * take partitions from them, find that out, and give them back. Errors: `FutureVersion`.
 */
export const refuseNewerLog = async (
  partitions: number,
  request: (partition: number, commands: readonly Command[]) => Promise<Reply>,
): Promise<void> => {
  const asked = Array.from({ length: partitions }, (_, n) => request(n, [{ type: 'DescribePartition' }]))
  // A partition without an owner says nothing: its log does when it is read.
  for (const reply of await Promise.allSettled(asked)) {
    const [answer] = reply.status === 'fulfilled' ? reply.value.answers : []
    const { partition, clusterVersion = 0 } = (answer?.ok ?? {}) as Partial<PartitionDescription>
    if (clusterVersion > featureLevel)
      throw new KirokuError(
        'FutureVersion',
        `partition ${partition} is of cluster version ${clusterVersion}, and this version reads up to ${featureLevel}: install one that reads ${clusterVersion}`,
      )
  }
}
