import { trace, type OnProgress, type Trace } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import type { Log } from '@kiroku/log'

/** Every event of one message along its lineage. Errors: `InvalidArgument`, `UnknownMessage`. */
export const traceMessage = (log: Log, messageId: string, onProgress?: OnProgress): Promise<Trace> =>
  trace(log, messageId, { decodeCheckpoint, ...(onProgress === undefined ? {} : { onProgress }) })
