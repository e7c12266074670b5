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
