/**
 * The process next to the engine that follows its log. Owns the files under `<dataDir>/audit/<incarnation>/`
 * (index, history, saved states): they can be rebuilt from the log at any time and are never the truth. One
 * process writes them, any number read. Also owns the protocol between engine and auditor, how an auditor
 * yields to other work, and which node of a log runs it. Sees the record only through the log port and the
 * folds of `libs/audit`; the caller provides what opens a log, and the way to other nodes.
 */
export { type AuditedLog } from './AuditedLog.ts'
export type { AuditorStatus, FollowedPartition } from './AuditorProtocol.ts'
export { Auditor } from './Auditor.ts'
export { WriterLock } from './WriterLock.ts'
export { answerRecord } from './answerRecord.ts'
export type { AnchorOptions } from './anchors/Anchors.ts'
export { anchorWitnesses, keptWitnesses } from './anchors/witnesses.ts'
export { auditFolder } from './auditFolder.ts'

export { openIndexToRead, openIndexToWrite, removeIndex } from './index/IndexDatabase.ts'
export { IndexFollower, type FollowerOptions } from './index/IndexFollower.ts'
export { IndexWriter } from './index/IndexWriter.ts'
export { actsOf } from './index/actsOf.ts'
export { actsOfLog } from './index/actsOfLog.ts'
export { isFollowed, indexState } from './index/indexState.ts'
export { lagOf, type IndexLag } from './index/lagOf.ts'
export { openKeptIndex, readInto, openIndex } from './index/openIndex.ts'
export { searchIndex, reachedOf, type SearchOptions } from './index/searchIndex.ts'
export { traceIndex } from './index/traceIndex.ts'
export { hidingNow } from './index/hidingNow.ts'
export { traceMessage } from './index/traceMessage.ts'
export { pastOptions } from './past/pastOptions.ts'
export { SavedStateFiles, type SavedStateFilesOptions } from './saved/SavedStateFiles.ts'
export type { AuditorBus } from './shared/AuditorBus.ts'
export { answerFor, askAuditor, askBeat } from './shared/askAuditor.ts'
export { shareAuditor, type AuditorSharing, type SharedAuditor } from './shared/shareAuditor.ts'
export { serveAuditor, type OpenedLog } from './serveAuditor.ts'
export { startAuditor, type AuditorStart, type RunningAuditor } from './startAuditor.ts'
export { CpuThrottle } from './throttle/CpuThrottle.ts'
