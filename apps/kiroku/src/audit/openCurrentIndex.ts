import type { DatabaseSync } from 'node:sqlite'
import { openIndex } from '@kiroku/auditor'
import type { Log } from '@kiroku/log'
import type { Invocation } from '../cli/CommandSpec.ts'
import { showProgress } from '../cli/showProgress.ts'
import { auditedLog } from './auditedLog.ts'

/**
 * Opens the index of a log for a command, with its progress on the terminal; a line says so for each partition that it
 * is still behind.
 *
 * @param patienceMs how long an auditor that runs may take to catch up with what is in the log now
 * @throws errors of reading the log
 */
export const openCurrentIndex = async (
  { out, settings }: Invocation,
  log: Log,
  patienceMs: number,
): Promise<DatabaseSync> => {
  const progress = showProgress()
  try {
    const { database, lags } = await openIndex(
      auditedLog(log, settings().dataDir),
      progress.onProgress,
      patienceMs,
    )
    progress.done()
    for (const { partition, seq, behind } of lags)
      out.note(`partition ${partition}: read up to ${seq}, ${behind} records behind its log`)
    return database
  } finally {
    progress.done()
  }
}
