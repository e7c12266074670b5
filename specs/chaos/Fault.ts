import type { PartitionDescription } from '@kiroku/protocol'

/** What there is when a fault begins. */
export interface Situation {
  /** The partitions that are served. */
  readonly active: readonly PartitionDescription[]
  /** Resolves when every partition is served, and the nodes have settled. */
  readonly served: () => Promise<void>
}

/** What can go wrong. */
export interface Fault {
  readonly name: string
  /** Longest pause of a partition's sends that Kiroku aims at here, in ms. */
  readonly pauseMs: number
  /** Whether there is something to lose now; absent: as soon as every partition is served. */
  hits?(active: readonly PartitionDescription[]): boolean
  /**
   * Does it, and undoes what does not come back by itself.
   * @returns how long no node could have served, in ms
   */
  inject(situation: Situation): Promise<number>
}
