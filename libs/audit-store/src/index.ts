/**
 * What the auditor keeps on a disk. Owns the files under `<dataDir>/audit/<incarnation>/`: they can be rebuilt from
 * the log at any time and are never the truth. One process writes them, any number read. Talks to the log port and
 * to the folds of `libs/audit`.
 */
export { auditFolder } from './auditFolder.ts'
export { WriterLock } from './WriterLock.ts'
export { MomentFiles, type MomentFilesOptions } from './MomentFiles.ts'
