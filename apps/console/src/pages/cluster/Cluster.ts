import type { PartitionClock, StorageDescription } from '@kiroku/protocol'

/** A process that serves partitions. */
export interface ClusterNode {
  /** Random, new for every process. */
  readonly address: string
  readonly host: string
  readonly pid: number
  /** ISO 8601. */
  readonly startedAt: string
  readonly healthy: boolean
  readonly leaving: boolean
  readonly partitions: readonly number[]
}

/** A partition: who holds its lock, and how its owner describes it where it answers. */
export interface ClusterPartition {
  readonly partition: number
  readonly owner?: string
  /** When its owner took the lock, and when its ownership began on record, in ms since 1970. */
  readonly lockedAt?: number
  readonly epoch?: number
  readonly epochAt?: number
  readonly state?: string
  readonly firstSeq?: number
  readonly lastSeq?: number
  readonly bytes?: number
  readonly queues?: number
  readonly outbox?: number
  readonly checkpointSeq?: number
  readonly clock?: PartitionClock
  /** How much room its log has. */
  readonly storage?: StorageDescription
  /** Where JetStream keeps it: the server that leads, and those that have copies. */
  readonly stream?: { readonly leader?: string; readonly replicas: readonly StreamReplica[] }
}

/** A copy of a partition's stream on another server than the leader. */
export interface StreamReplica {
  readonly server: string
  readonly isCurrent: boolean
  readonly isOffline: boolean
  /** Operations that it has still to apply. */
  readonly lag: number
  /** How long ago the leader heard of it, in ms. */
  readonly heardMs: number
}

/** How far the auditor is in a partition. */
interface AuditedPartition {
  readonly partition: number
  readonly seq: number
  readonly lastSeq: number
}

/** What the engine says of its cluster. */
export interface Cluster {
  readonly log: string
  readonly nodes: readonly ClusterNode[]
  readonly partitions: readonly ClusterPartition[]
  readonly auditor?: {
    readonly pid: number
    readonly role: string
    readonly partitions: readonly AuditedPartition[]
  }
}
