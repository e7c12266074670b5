import { clockTrouble, formatBytes, type PartitionDescription, storageTrouble } from '@kiroku/protocol'

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
  const full = new Map(
    partitions.flatMap(({ node, memory }) =>
      memory === undefined || memory.bytes <= memory.bytesMax ? [] : [[node, memory] as const],
    ),
  )
  const memories = [...full].map(
    ([node, { bytes, bytesMax }]) =>
      `messages take ${formatBytes(bytes)} of the memory of ${node}, which has ${formatBytes(bytesMax)} for them: sends wait until some are consumed`,
  )
  return [...clocks, ...(storage === undefined ? [] : [storage.what]), ...memories]
}
