/** How much each part does. */
export interface ClusterSizes {
  readonly partitions: number
  readonly nodes: number
  /** Messages of 1 kB that lived in each partition before. */
  readonly aged: number
  /** Sends a second, over all queues. */
  readonly perSecond: number
  /** Changes of each kind. */
  readonly trials: number
  /** Restarts of all nodes one after the other, and of NATS. */
  readonly rounds: number
  /** Nodes and partitions of the cluster that rests. */
  readonly idleNodes: number
  readonly idlePartitions: number
  /** How long it is left alone before it is counted, and how long it is counted, in s. */
  readonly settledSeconds: number
  readonly idleSeconds: number
}

export const fullSizes: ClusterSizes = {
  partitions: 16,
  nodes: 3,
  aged: 50_000,
  perSecond: 2_000,
  trials: 20,
  rounds: 5,
  idleNodes: 3,
  idlePartitions: 64,
  settledSeconds: 10,
  idleSeconds: 30,
}

export const quickSizes: ClusterSizes = {
  partitions: 6,
  nodes: 3,
  aged: 2_000,
  perSecond: 500,
  trials: 2,
  rounds: 1,
  idleNodes: 3,
  idlePartitions: 64,
  settledSeconds: 5,
  idleSeconds: 10,
}
