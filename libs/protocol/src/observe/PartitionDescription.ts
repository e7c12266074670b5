import type { OutboxDescription } from './QueueDescription.ts'

/** A partition as `cluster status` and the metrics show it. */
export interface PartitionDescription {
  readonly partition: number
  readonly epoch: number
  /** When this ownership began by the clock of the log's server, in ms since 1970; 0: it has not begun. */
  readonly epochAt: number
  readonly node: string
  readonly state: string
  readonly firstSeq: number
  readonly lastSeq: number
  readonly bytes: number
  readonly queues: number
  /** Messages on their way to other queues. */
  readonly outbox: number
  /** Those of them that cannot arrive; absent: none. */
  readonly held?: readonly OutboxDescription[]
  readonly checkpointSeq: number
  /** The feature level in force; absent: the owner is of a version that does not tell, or knows no state. */
  readonly clusterVersion?: number
  /** Absent: the owner is of a version that does not tell. */
  readonly storage?: StorageDescription
  /** Absent: the owner is of a version that does not tell, or takes as much as it likes. */
  readonly memory?: MemoryDescription
  /** Absent: an older version answered, there is no owner, or it is not known yet. */
  readonly checkpoints?: CheckpointsDescription
  /** Absent: an older version answered, or there is no owner. */
  readonly clock?: PartitionClock
}

/** A partition's time beside the clocks that it may go by, all in ms since 1970. */
export interface PartitionClock {
  /**
   * disputed: the two clocks disagree on a step of the time, which waits for an operator's word; ahead: partition time is
   * ahead of the store's clock, and of no other use than to measure by until that has caught up.
   */
  readonly state: 'agreed' | 'disputed' | 'ahead'
  readonly partitionMs: number
  readonly storeMs: number
  readonly nodeMs: number
}

/** How much room a partition's log has. */
export interface StorageDescription {
  /** `short`: the log is trimmed to its last two checkpoints; `full`: and sends are refused. */
  readonly state: 'enough' | 'short' | 'full'
  /** What is left of the store, what it can hold, and what sends leave free; absent: it does not tell. */
  readonly freeBytes?: number
  readonly bytesMax?: number
  readonly reserveBytes?: number
  /** Trims before the record's limits asked for them, since this ownership began. */
  readonly earlyTrims: number
}

/** What the messages of all partitions that a node owns or follows take in memory, and may take before sends are refused, in bytes, about. */
export interface MemoryDescription {
  readonly bytes: number
  readonly bytesMax: number
  /** Whether messages that were never delivered wait, too, until others are settled; absent: they do not. */
  readonly holdsUntouched?: true
}

/** Checkpoints that a partition has stored. */
export interface CheckpointsDescription {
  readonly count: number
  readonly bytes: number
}
