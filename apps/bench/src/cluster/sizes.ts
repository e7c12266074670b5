/** How much each part does. */
export interface ClusterSizes {
  /** Nodes and partitions of the cluster that rests. */
  readonly idleNodes: number
  readonly idlePartitions: number
  /** How long it is left alone before it is counted, and how long it is counted, in s. */
  readonly settledSeconds: number
  readonly idleSeconds: number
}

export const fullSizes: ClusterSizes = {
  idleNodes: 3,
  idlePartitions: 64,
  settledSeconds: 10,
  idleSeconds: 30,
}

export const quickSizes: ClusterSizes = {
  idleNodes: 3,
  idlePartitions: 64,
  settledSeconds: 5,
  idleSeconds: 10,
}
