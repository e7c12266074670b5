import { setImmediate as nextTick } from 'node:timers/promises'
import type { PastOptions } from '@kiroku/audit'
import type { AuditedLog } from '../AuditedLog.ts'
import { auditFolder } from '../auditFolder.ts'
import { SavedStateFiles } from '../saved/SavedStateFiles.ts'

/**
 * Options for reading a log's past in this process: from the auditor's saved states, if the data folder has
 * any.
 */
export const pastOptions = (
  { log, dataDir, decodeCheckpoint }: AuditedLog,
  pacing?: { readonly pause: () => Promise<void> },
): Omit<PastOptions, 'onProgress'> => ({
  decodeCheckpoint,
  moments: new SavedStateFiles(auditFolder(dataDir, log.meta.incarnation), { readOnly: true }),
  now: Date.now(),
  pause: () => (pacing === undefined ? nextTick() : pacing.pause()),
})
