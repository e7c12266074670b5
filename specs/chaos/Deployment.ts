import type { PartitionDescription } from '@kiroku/protocol'
import type { Fault } from './Fault.ts'

/** The nodes and servers under test. */
export interface Deployment {
  /** The addresses of the servers. */
  readonly urls: readonly string[]
  readonly faults: readonly Fault[]
  /**
   * Whether nothing is to be moved between the nodes, once every partition is served.
   * @param active the partitions that are served
   */
  isSettled(active: readonly PartitionDescription[]): boolean
  /**
   * Whether a node of the previous release owns a partition: it loads at its own pace what it takes over.
   * @param active the partitions that are served
   */
  isMixed(active: readonly PartitionDescription[]): boolean
  /** Hears of nodes that end by themselves. */
  onCrash(hear: (text: string) => void): void
  /** Ends the nodes in order; the servers stay. */
  stopNodes(): Promise<void>
  /** Ends everything, whatever it does. */
  stop(): Promise<void>
  /** Ends at once what would outlive this process. */
  abandon(): void
}

/** Told of each node or server that is killed without warning. */
export type OnKill = (what: 'node' | 'server') => void
