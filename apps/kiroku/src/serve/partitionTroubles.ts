import { clockTrouble, formatBytes, type PartitionDescription, storageTrouble } from '@kiroku/protocol'

/** Problems of partitions that still serve: clocks that disagree, disks that fill. A sentence each. */
export const partitionTroubles = (partitions: readonly PartitionDescription[]): string[] => {
  const clocks = partitions.flatMap(({ partition, clock }) => {
    const trouble = clock === undefined ? undefined : clockTrouble(partition, clock)
    return trouble === undefined ? [] : [`${trouble.what}. ${trouble.advice}`]
  })
  const storage = storageTrouble(
    partitions.flatMap((each) => each.storage ?? []),
    formatBytes,
  )
  return [...clocks, ...(storage === undefined ? [] : [storage.what])]
}
