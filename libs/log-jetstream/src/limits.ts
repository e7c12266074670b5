/** Bytes of records that may be under way on one reading connection; more and the server drops it as slow. */
export const readerBytesMax = 16 * 2 ** 20

/** Bytes asked for at once when reading a range; the last record may go beyond. */
export const batchBytesMax = 4 * 2 ** 20

/** Records asked for at once when reading a range. */
export const batchRecordsMax = 4096

/** What a single record is taken to be when its size is not known. */
export const recordBytesGuess = 4 * 2 ** 20

/** How long a read waits without any progress before it is asked again. */
export const readTimeoutMs = 2_000

/** How often a read is asked again. */
export const readAttemptsMax = 5

/** Room for headers beside a record in the server's `max_payload`. */
export const headerBytesMax = 1024

/** How often a request that may be repeated is made before silence is an error. */
export const askAttemptsMax = 3

/** A server's `max_payload` where it does not say. */
export const payloadBytesDefault = 2 ** 20

/**
 * Partitions of a log. Each is a stream, a lock, and an actor with its checkpoints: 1,024 of them took 20 s to be
 * owned and 0.6 GB of memory on two busy cores, and in a cluster each is a Raft group (ADR 30).
 */
export const partitionsMax = 1_024

/** Ballast: this share of what an account stores, in pieces, so many of them with one look, and at most so much. */
export const ballastShare = 0.1
export const ballastBytesMax = 256 * 2 ** 20
export const ballastPieceBytes = 256 * 2 ** 10
export const ballastPiecesPerLook = 128

/** How often it is tried whether a full store holds more by now, and how much that may write in the mean. */
export const ballastProbeMs = 30_000
export const probeBytesPerMs = 2 ** 20 / 1_000

/** Within this time refusals of a store are one, which what was under way then hears too. */
export const refusalsAreOneMs = 5_000

/** Copies of a stream that NATS makes at most. */
export const replicasMax = 5
