/** The value of a lock. A free lock has no value. */
export interface PartitionLock {
  /** Address of the runner that holds it. */
  readonly owner: string
  /** Whether the owner answers for the partition by now. */
  readonly isServing?: boolean
  /** Address of the runner that the owner is handing the partition over to. */
  readonly next?: string | undefined
}

/** Name of the bucket with the locks of a log. */
export const locksBucket = (log: string): string => `KIROKU_${log}_LOCKS`

/** Key of a partition's lock. */
export const lockKey = (partition: number): string => `partition.${partition}`

/** The partition of a lock's key, undefined for a foreign key. */
export const partitionOfKey = (key: string): number | undefined => {
  const match = /^partition\.(\d+)$/.exec(key)
  return match?.[1] === undefined ? undefined : Number(match[1])
}

/** Key of the note that the next owner of a partition has loaded it. */
export const aheadKey = (partition: number): string => `ahead.${partition}`

/** The partition of such a key, undefined for a foreign key. */
export const partitionOfAheadKey = (key: string): number | undefined => {
  const match = /^ahead\.(\d+)$/.exec(key)
  return match?.[1] === undefined ? undefined : Number(match[1])
}
