/**
 * What the auditor keeps on a disk. Owns the files under `<dataDir>/audit/<incarnation>/`: they can be rebuilt from
 * the log at any time and are never the truth. One process writes them, any number read. Talks to the log port and
 * to the folds of `libs/audit`.
 */
export { auditFolder } from './auditFolder.ts'
export { WriterLock } from './WriterLock.ts'
export { MomentFiles, type MomentFilesOptions } from './MomentFiles.ts'
export { limits as auditLimits } from './limits.ts'
export { openIndexToRead, openIndexToWrite, removeIndex } from './messages/IndexDatabase.ts'
export { IndexFollower, type FollowerOptions } from './messages/IndexFollower.ts'
export { IndexWriter } from './messages/IndexWriter.ts'
export { searchIndex, reachedOf, type SearchOptions } from './messages/searchIndex.ts'
export { traceIndex } from './messages/traceIndex.ts'
export { actsOf } from './messages/actsOf.ts'
export { partitionsOf, readHistory, type LogEnds } from './history/readHistory.ts'
export type { FoundMessage, ReachedPartition, SearchAnswer } from './messages/FoundMessage.ts'
