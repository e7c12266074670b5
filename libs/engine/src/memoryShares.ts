import { limits } from './limits.ts'

/** What the parts of a node may hold in memory; in bytes. */
export interface MemoryShares {
  /** Bodies, of all partitions together. */
  readonly bodyCacheBytesMax: number
  /** What waits for one partition. */
  readonly mailboxBytesMax: number
  /** What all messages take that are stored, without their bodies. */
  readonly stateBytesMax: number
}

/** The shares of a node that may take `bytes`, and have all of a log's partitions. */
export const memoryShares = (bytes: number, partitions: number): MemoryShares => ({
  bodyCacheBytesMax: Math.min(limits.bodyCacheBytesMax, bytes * limits.bodyCacheShare),
  mailboxBytesMax: Math.min(
    limits.mailboxBytesMax,
    Math.max(limits.mailboxBytesMin, (bytes * limits.mailboxShare) / partitions),
  ),
  stateBytesMax: Math.max(
    bytes * limits.stateShareMin,
    Math.min(bytes * limits.stateShare, (bytes - limits.otherBytes) / 2),
  ),
})
