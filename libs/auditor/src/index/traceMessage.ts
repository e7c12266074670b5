import { trace, type Hiding, type OnProgress, type Trace } from '@kiroku/audit'
import type { AuditedLog } from '../AuditedLog.ts'
import { hidingNow } from './hidingNow.ts'
import { openKeptIndex } from './openIndex.ts'
import { traceIndex } from './traceIndex.ts'

/** How a message is traced. */
interface TraceMessageOptions {
  readonly onProgress?: OnProgress
  /** Whether errors are shown that queues hide; default: yes. */
  readonly asOperator?: boolean
  /** What queues hide, for those who trace many messages; default: it is looked up. */
  readonly hiding?: Hiding
}

/**
 * Every event of one message along its lineage; with an auditor's index in the data folder, only the frames
 * that concern it are read. Errors: `InvalidArgument`, `UnknownMessage`.
 */
export const traceMessage = async (
  audited: AuditedLog,
  messageId: string,
  { onProgress, asOperator = true, hiding }: TraceMessageOptions = {},
): Promise<Trace> => {
  const index = openKeptIndex(audited)
  try {
    return await trace(audited.log, messageId, {
      decodeCheckpoint: audited.decodeCheckpoint,
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(index === undefined ? {} : { index: traceIndex(index) }),
      sight: { hiding: hiding ?? (await hidingNow(audited, index)), asOperator },
    })
  } finally {
    index?.close()
  }
}
