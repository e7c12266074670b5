/** TTL of a runner's heartbeat key when nothing else is asked for. */
export const heartbeatTtlMsDefault = 3000

/** Shortest TTL: below it, ordinary pauses of a process look like its death. */
export const heartbeatTtlMsMin = 1000

/** Beats and confirmations within one TTL. */
export const beatsPerTtl = 6

/** How often a node reads who else is there. */
export const membershipPollMs = 150

/** How long one request to NATS may take before it counts as failed. */
export const requestTimeoutMs = 1000

/** How long the set of nodes must be quiet before partitions move to those that joined. */
export const joinDebounceMs = 300

/** How often Sharding compares its shards with the locks that are still ours. */
export const lockCheckMs = 1000

/** How long one attempt at locks waits for their holders to let go; below `lockCheckMs`, at which Sharding cuts it off. */
export const acquireWaitMs = 700

/** How often a waiting attempt looks again. */
export const acquireRetryMs = 40

/** How long a waiting attempt that already got some locks waits for one more. */
export const acquireQuietMs = 150

/** Pause before the first restart of a partition that failed; doubles up to `restartPauseMaxMs`. */
export const restartPauseMs = 100

/** Longest pause before a restart. */
export const restartPauseMaxMs = 5000

/** Shortest pause before a restart after another owner fenced us: it may be about to take the lock. */
export const fencedPauseMs = 1000

/** A partition that ran this long starts again with the shortest pause. */
export const restartForgivenMs = 10_000

/** How often locks that were taken for nobody (an attempt that was cut off) are looked for and given back. */
export const sweepMs = 5000
