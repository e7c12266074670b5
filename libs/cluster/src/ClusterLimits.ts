/** Default TTL of a node's heartbeat: the time after which a silent node counts as dead. */
export const heartbeatTtlMsDefault = 3000

/** Shortest TTL: below it, ordinary pauses of a process look like its death. */
export const heartbeatTtlMsMin = 1000

/** Longest TTL: with a longer one, nobody would wait for the partitions of a dead node. */
export const heartbeatTtlMsMax = 60_000

/** Largest weight of a node. */
export const weightMax = 100

/** Every interval of a node's placement, in ms, from the TTL of heartbeats. */
export interface ClusterTimes {
  readonly ttlMs: number
  /** Between two heartbeats of a node, and between two of NATS on a watch. */
  readonly beatMs: number
  /** How long one request to NATS may take before it counts as failed. */
  readonly requestMs: number
  /** A watch that has heard nothing for this long is set up again: NATS would have sent several heartbeats. */
  readonly watchSilenceMs: number
  /** A node whose own heartbeats have not arrived for this long judges nobody: one of its requests has failed. */
  readonly unheardMs: number
  /** How often a node compares what is with what should be when it hears nothing; asks nobody. */
  readonly lookMs: number
  /** Between two questions whether a silent node is gone. */
  readonly goneMs: number
  /** How long a plan must have named a node as a standby until that begins to load. */
  readonly settleMs: number
}

/** The intervals that belong to a TTL in ms. */
export const clusterTimes = (ttlMs: number): ClusterTimes => ({
  ttlMs,
  beatMs: ttlMs / 6,
  requestMs: ttlMs / 3,
  watchSilenceMs: ttlMs / 2,
  unheardMs: ttlMs / 2,
  lookMs: ttlMs / 20,
  goneMs: ttlMs / 60,
  settleMs: ttlMs,
})

/** How many partitions of one node may be without an answer at once because they move. */
export const onTheWayMax = 2

/** How long a partition that does not answer holds up the moves of others, in ms. */
export const arrivalMsMax = 10_000

/** How long an owner serves on until the next one has loaded the partition, in ms; then it hands over all the same. */
export const loadAheadMsMax = 3000

/** How long a node that stops hands over a few at a time, in ms; then all the rest at once. */
export const orderlyLeaveMsMax = 5000

/** Pause before another try at a lock that could not be taken or released, or at a watch, in ms. */
export const retryMs = 100

/** Pause before the first restart of a partition that failed; doubles up to `restartPauseMaxMs`. */
export const restartPauseMs = 100

/** Longest pause before a restart. */
export const restartPauseMaxMs = 5000

/** Shortest pause before a restart after another owner fenced this node: it may be about to take the lock. */
export const fencedPauseMs = 1000

/** A partition that ran this long starts again with the shortest pause. */
export const restartForgivenMs = 10_000
