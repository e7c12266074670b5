import type { DatabaseSync } from 'node:sqlite'
import { readActs, type Act, type ActFilter, type LostPartition, type OnProgress } from '@kiroku/audit'
import { actsOf, reachedOf } from '@kiroku/audit-store'
import type { Log } from '@kiroku/log'
import { lookOptions } from './lookOptions.ts'
import { openKeptIndex } from './openIndex.ts'

/** Who did what: from the auditor's index as far as there is one, the rest from the record itself. */
export const actsOfLog = async (
  log: Log,
  dataDir: string,
  filter: ActFilter,
  onProgress?: OnProgress,
  onMissing?: (missing: LostPartition) => void,
): Promise<Act[]> => {
  const { decodeCheckpoint, moments, pause } = lookOptions(log, dataDir)
  const index = openKeptIndex(log, dataDir)
  try {
    return await readActs(log, filter, {
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

/** The index may grow between two questions: acts behind the place that it was asked for first are left to the record. */
const knownOf = (index: DatabaseSync, filter: ActFilter) => {
  const reached = new Map(reachedOf(index).map(({ partition, seq }) => [partition, seq]))
  return {
    reached,
    acts: actsOf(index, filter).filter(({ partition, seq }) => seq <= (reached.get(partition) ?? 0)),
  }
}
