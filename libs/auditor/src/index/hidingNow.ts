import type { DatabaseSync } from 'node:sqlite'
import { Hiding, queuesOfLog } from '@kiroku/audit'
import type { AuditedLog } from '../AuditedLog.ts'
import { pastOptions } from '../past/pastOptions.ts'
import { hidingOf } from './hidingOf.ts'
import { openKeptIndex } from './openIndex.ts'

/**
 * What queues hide now: by an index, which also knows deleted queues, and by the log for those that it does not know yet;
 * without an index by the log alone, for which a deleted queue hides. Errors: those of reading the log.
 */
export const hidingNow = async (audited: AuditedLog, index?: DatabaseSync): Promise<Hiding> => {
  const ofLog = () => queuesOfLog(audited.log, pastOptions(audited))
  if (index !== undefined) return hidingOf(index, ofLog)
  const kept = openKeptIndex(audited)
  if (kept === undefined) return new Hiding(await ofLog())
  try {
    return hidingOf(kept, ofLog)
  } finally {
    kept.close()
  }
}
