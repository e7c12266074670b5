/**
 * The log over NATS JetStream. Owns the streams, the checkpoints' bucket and the catalogue of logs.
 * Knows nothing of what is in a record; talks to NATS through `@kiroku/nats`, for the port of `@kiroku/log`.
 */
export { openLog } from './openLog.ts'
export type { OpenLogOptions } from './OpenLogOptions.ts'
export type { Disk } from './JetStreamRoom.ts'
export type { CreateLog } from './CatalogueEntry.ts'
export { streamPlacements, type StreamPlacement, type StreamReplica } from './streamPlacements.ts'
export { catalogueStream } from './names.ts'
