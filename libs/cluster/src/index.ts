/**
 * Owns the placement of partitions on nodes: who runs which partition, the locks and heartbeats behind it, and the
 * hand-over. Never touches a log or a message, and does not make ownership safe: the log's fence does.
 * Talks to NATS KV.
 */
export {
  type OwnershipLease,
  type Placement,
  type PlacementEvent,
  type PlacementOptions,
} from './Placement.ts'
export { placement } from './startPlacement.ts'
export { finalizeCluster } from './finalizeCluster.ts'
export { pinPartition, unpinPartition, type Pinned } from './pinPartition.ts'
export { refuseNewerLog } from './refuseNewerLog.ts'
export {
  clusterStatus,
  type ClusterStatus,
  type PartitionStatus,
  type RunnerStatus,
} from './clusterStatus.ts'
