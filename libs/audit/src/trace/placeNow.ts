import { KirokuError } from '@kiroku/protocol'
import type { Trace } from './TraceStep.ts'

/** Where a message is now, by its trace. Errors: `NotEditable`, when it is final. */
export const placeNow = (trace: Trace): { readonly queue: string; readonly number: number } => {
  const last = trace.steps.findLast(({ voided }) => voided !== true)
  if (last === undefined || ['Committed', 'DLQ', 'Discarded'].includes(trace.state))
    throw new KirokuError(
      'NotEditable',
      `message ${trace.messageId} is ${trace.state}: it is in no queue any more`,
    )
  return { queue: last.queue, number: last.number }
}
