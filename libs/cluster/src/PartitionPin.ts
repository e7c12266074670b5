import type { Actor } from '@kiroku/protocol'
import type { KvEntry } from './KvBucket.ts'

/** The pin of a partition, in the bucket of locks. One that was taken off stays, with who did that. */
export interface PartitionPin {
  /** The host that the partition stays on while a node runs there; missing: it was taken off. */
  readonly host?: string
  readonly by: Actor
  /** When, in ms since 1970. */
  readonly atMs: number
}

/** Key of a partition's pin. */
export const pinKey = (partition: number): string => `pin.${partition}`

/** The pin that an entry of the bucket holds, undefined for a foreign key. */
export const pinIn = ({
  key,
  value,
}: KvEntry<unknown>): readonly [partition: number, pin: PartitionPin] | undefined => {
  const match = /^pin\.(\d+)$/.exec(key)
  return match?.[1] === undefined || value === undefined
    ? undefined
    : [Number(match[1]), value as PartitionPin]
}
