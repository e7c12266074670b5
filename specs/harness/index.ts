/**
 * The stage of the executable specifications: a real engine and real clients, on controlled time over a log in
 * memory, or in real time over NATS. Decides nothing itself; talks to the public interfaces only.
 */
export { createWorld, type World } from './World.ts'
export { die } from './die.ts'
export { createNatsWorld } from './NatsWorld.ts'
export type { ClientProcess } from './ClientProcess.ts'
export { Engine } from './Engine.ts'
export { everyState, mailCounts } from './everyState.ts'
export { readRecord } from './readRecord.ts'
export { replay } from './replay.ts'
export { scrapeMetrics } from './scrapeMetrics.ts'
export { startUpstream, type Upstream } from './Upstream.ts'
export { untilCheckpoint } from './untilCheckpoint.ts'
export { Gate } from './Gate.ts'
export { queuePerPartition, startOnDisk, type DiskWorld } from './DiskWorld.ts'
export { blockFiles, blockFolder, blockRecords } from './blockFiles.ts'
export { indexOf } from './indexOf.ts'
export { LoopDisk, whyNoLoopDisk } from './LoopDisk.ts'
