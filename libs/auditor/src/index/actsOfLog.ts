import type { DatabaseSync } from 'node:sqlite'
import { readActs, type Act, type ActFilter, type LostPartition, type OnProgress } from '@kiroku/audit'
import type { AuditedLog } from '../AuditedLog.ts'
import { pastOptions } from '../past/pastOptions.ts'
import { actsOf } from './actsOf.ts'
import { openKeptIndex } from './openIndex.ts'
import { reachedOf } from './searchIndex.ts'

/** Administrative acts: from the auditor's index as far as it goes, the rest from the record itself. */
export const actsOfLog = async (
  audited: AuditedLog,
  filter: ActFilter,
  onProgress?: OnProgress,
  onMissing?: (missing: LostPartition) => void,
): Promise<Act[]> => {
  const { decodeCheckpoint, moments, pause } = pastOptions(audited)
  const index = openKeptIndex(audited)
  try {
    return await readActs(audited.log, filter, {
      decodeCheckpoint,
      ...(moments === undefined ? {} : { moments }),
      ...(pause === undefined ? {} : { pause }),
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(onMissing === undefined ? {} : { onMissing }),
      ...(index === undefined ? {} : { known: knownOf(index, filter) }),
    })
  } finally {
    index?.close()
  }
}

/** The index may grow between two queries: acts after the place seen first are left to the record. */
const knownOf = (index: DatabaseSync, filter: ActFilter) => {
  const reached = new Map(reachedOf(index).map(({ partition, seq }) => [partition, seq]))
  return {
    reached,
    acts: actsOf(index, filter).filter(({ partition, seq }) => seq <= (reached.get(partition) ?? 0)),
  }
}
