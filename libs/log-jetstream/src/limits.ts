/**
 * Bytes of records that may be in flight on one reading connection; with more the server drops it as slow.
 */
export const readerBytesMax = 16 * 2 ** 20

/** Bytes requested at once when reading a range; the last record may exceed it. */
export const batchBytesMax = 4 * 2 ** 20

/** Records requested at once when reading a range. */
export const batchRecordsMax = 4096

/** Assumed size of a single record when it is not known. */
export const recordBytesGuess = 4 * 2 ** 20

/**
 * How long an append waits for its answer before it is sent again. A leader that steps down drops what it has not stored and says
 * nothing; of two copies at most one is stored, so a server that is only slow costs no more than the second one.
 */
export const appendTimeoutMs = 500

/** How long a read waits without progress before it is repeated. */
export const readTimeoutMs = 2_000

/** How long any replica may take to give one record before the leader is asked; one whose server goes away says nothing. */
export const replicaTimeoutMs = 500

/** How often a read is repeated. */
export const readAttemptsMax = 5

/** Least time between two messages that say how far a partition goes, and the pause after one that nobody read. */
export const newsMs = 100
export const newsPauseMs = 5_000

/** Room for headers next to a record in the server's `max_payload`. */
export const headerBytesMax = 1024

/** Pauses between the attempts of an idempotent request without an answer; the last one's timeout makes that an error. */
export const askPausesMs = [500, 1_500, 2_000] as const

/** A server's `max_payload` where it does not say. */
export const payloadBytesDefault = 2 ** 20

/**
 * Partitions of a log. Each is a stream, a lock, and an actor with its checkpoints: 1,024 of them took 20 s to be
 * owned and 0.6 GB of memory on two busy cores, and in a cluster each is a Raft group (ADR 30).
 */
export const partitionsMax = 1_024

/**
 * Ballast: the share of what an account stores, the size of a piece, the pieces added per check, and the
 * maximum.
 */
export const ballastShare = 0.1
export const ballastBytesMax = 256 * 2 ** 20
export const ballastPieceBytes = 256 * 2 ** 10
export const ballastPiecesPerLook = 128

/** How often a full store is probed for more room, and how much that may write on average. */
export const ballastProbeMs = 10_000
export const probeBytesPerMs = 2 ** 20 / 1_000

/** Refusals of a store within this time count as one, since those in flight are refused too. */
export const refusalsAreOneMs = 5_000

/** Most replicas of a stream that NATS allows. */
export const replicasMax = 5

/** How often a running engine looks whether the buckets of its log are still there. */
export const keepBucketsMs = 15_000
