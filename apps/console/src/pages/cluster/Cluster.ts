import type { Cluster as ClusterAnswer } from '@kiroku/api/answers'

/** The engine's description of its cluster. */
export type Cluster = ClusterAnswer

/** A process that serves partitions. */
export type ClusterNode = Cluster['nodes'][number]

/** A partition: who holds its lock, and how its owner describes it where it answers. */
export type ClusterPartition = Cluster['partitions'][number]

/** A copy of a partition's stream on another server than the leader. */
export type StreamReplica = NonNullable<ClusterPartition['stream']>['replicas'][number]
