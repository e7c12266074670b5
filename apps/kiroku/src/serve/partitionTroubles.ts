import {
  clockTrouble,
  formatBytes,
  memoryTrouble,
  type PartitionDescription,
  storageTrouble,
} from '@kiroku/protocol'

/** Problems of partitions that still serve: clocks that disagree, disks and memory that fill. A sentence each. */
export const partitionTroubles = (partitions: readonly PartitionDescription[]): string[] => {
  const clocks = partitions.flatMap(({ partition, clock }) => {
    const trouble = clock === undefined ? undefined : clockTrouble(partition, clock)
    return trouble === undefined ? [] : [`${trouble.what}. ${trouble.advice}`]
  })
  const storage = storageTrouble(
    partitions.flatMap((each) => each.storage ?? []),
    formatBytes,
  )
  const nodes = new Map(
    partitions.flatMap(({ node, memory }) => (memory === undefined ? [] : [[node, memory] as const])),
  )
  const memories = [...nodes].flatMap(([node, memory]) => memoryTrouble(node, memory) ?? [])
  return [...clocks, ...(storage === undefined ? [] : [storage.what]), ...memories]
}
