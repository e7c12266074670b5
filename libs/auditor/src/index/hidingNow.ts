import type { DatabaseSync } from 'node:sqlite'
import { type Hiding, hidingOfLog } from '@kiroku/audit'
import type { AuditedLog } from '../AuditedLog.ts'
import { pastOptions } from '../past/pastOptions.ts'
import { hidingOf } from './hidingOf.ts'
import { openKeptIndex } from './openIndex.ts'

/**
 * What queues hide now: by an index, which also knows deleted queues; without one by the log, for which a deleted queue
 * hides. Errors: those of reading the log.
 */
export const hidingNow = async (audited: AuditedLog, index?: DatabaseSync): Promise<Hiding> => {
  if (index !== undefined) return hidingOf(index)
  const kept = openKeptIndex(audited)
  if (kept === undefined) return hidingOfLog(audited.log, { ...pastOptions(audited) })
  try {
    return hidingOf(kept)
  } finally {
    kept.close()
  }
}
