/** Default TTL of a runner's heartbeat key. */
export const heartbeatTtlMsDefault = 3000

/** Shortest TTL: below it, ordinary pauses of a process look like its death. */
export const heartbeatTtlMsMin = 1000

/** Beats and confirmations within one TTL. */
export const beatsPerTtl = 6

/** How often a node reads which others are alive. */
export const membershipPollMs = 150

/** How long one request to NATS may take before it counts as failed. */
export const requestTimeoutMs = 1000

/** How long the set of nodes must be quiet before partitions move to those that joined. */
export const joinDebounceMs = 200

/**
 * How often Sharding compares its shards with the locks still held, and how long one attempt at locks may
 * take.
 */
export const lockCheckMs = 2000

/** Pause before another try to release a lock. */
export const releaseRetryMs = 100

/** Pause before the first restart of a partition that failed; doubles up to `restartPauseMaxMs`. */
export const restartPauseMs = 100

/** Longest pause before a restart. */
export const restartPauseMaxMs = 5000

/** Shortest pause before a restart after another owner fenced this node: it may be about to take the lock. */
export const fencedPauseMs = 1000

/** A partition that ran this long starts again with the shortest pause. */
export const restartForgivenMs = 10_000

/** How often orphaned locks (from an attempt that was cut off) are found and released. */
export const sweepMs = 5000
