import { trace, type OnProgress, type Trace } from '@kiroku/audit'
import { traceIndex } from '@kiroku/audit-store'
import { decodeCheckpoint } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { openKeptIndex } from './openIndex.ts'

/**
 * Every event of one message along its lineage; where an auditor keeps an index in the data folder, only the frames
 * that tell of it are read. Errors: `InvalidArgument`, `UnknownMessage`.
 */
export const traceMessage = async (
  log: Log,
  dataDir: string,
  messageId: string,
  onProgress?: OnProgress,
): Promise<Trace> => {
  const index = openKeptIndex(log, dataDir)
  try {
    return await trace(log, messageId, {
      decodeCheckpoint,
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(index === undefined ? {} : { index: traceIndex(index) }),
    })
  } finally {
    index?.close()
  }
}
