/** A cluster that rests. */
export interface IdleShape {
  readonly nodes: number
  readonly partitions: number
  /** What it may ask of NATS per second. */
  readonly requestsMax: number
}

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
  /** How long there is no quorum, in s. */
  readonly quorumSeconds: number
  readonly idleFew: IdleShape
  readonly idleMany: IdleShape
  /** How long it is left alone before it is counted, and how long it is counted, in s. */
  readonly settledSeconds: number
  readonly idleSeconds: number
  /** Records behind a take-over of one partition, of eight together, and of each of 16 at a cold start. */
  readonly oldRecords: { readonly one: number; readonly eight: number; readonly cold: number }
  /** Sends that are not awaited, and changes of owner meanwhile, at least. */
  readonly orderedSends: number
  readonly ownerChanges: number
  /** Consumers that wait on a partition that moves. */
  readonly consumers: number
  /** Messages of a round under full load, and rounds. */
  readonly lives: number
  readonly loadRounds: number
}

export const fullSizes: ClusterSizes = {
  partitions: 16,
  nodes: 3,
  aged: 50_000,
  perSecond: 2_000,
  trials: 20,
  rounds: 5,
  quorumSeconds: 20,
  idleFew: { nodes: 3, partitions: 64, requestsMax: 60 },
  idleMany: { nodes: 20, partitions: 256, requestsMax: 400 },
  settledSeconds: 10,
  idleSeconds: 30,
  oldRecords: { one: 48_000, eight: 203_000, cold: 200_000 },
  orderedSends: 10_000_000,
  ownerChanges: 200,
  consumers: 10_000,
  lives: 2_000_000,
  loadRounds: 3,
}

export const quickSizes: ClusterSizes = {
  partitions: 6,
  nodes: 3,
  aged: 2_000,
  perSecond: 500,
  trials: 2,
  rounds: 1,
  quorumSeconds: 5,
  idleFew: { nodes: 3, partitions: 64, requestsMax: 60 },
  idleMany: { nodes: 6, partitions: 64, requestsMax: 120 },
  settledSeconds: 5,
  idleSeconds: 10,
  oldRecords: { one: 5_000, eight: 20_000, cold: 2_000 },
  orderedSends: 200_000,
  ownerChanges: 16,
  consumers: 1_000,
  lives: 100_000,
  loadRounds: 1,
}
