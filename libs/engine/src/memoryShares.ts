import { limits } from './limits.ts'

/** What the parts of a node may hold in memory; in bytes. */
export interface MemoryShares {
  /** Bodies, of all partitions together. */
  readonly bodyCacheBytesMax: number
  /** What waits for one partition. */
  readonly mailboxBytesMax: number
}

/** The shares of a node that may take `bytes`, and have all of a log's partitions. */
export const memoryShares = (bytes: number, partitions: number): MemoryShares => ({
  bodyCacheBytesMax: Math.min(limits.bodyCacheBytesMax, bytes * limits.bodyCacheShare),
  mailboxBytesMax: Math.min(
    limits.mailboxBytesMax,
    Math.max(limits.mailboxBytesMin, (bytes * limits.mailboxShare) / partitions),
  ),
})
