import { renderTrace } from '@kiroku/audit'
import { traceMessage } from '../audit/traceMessage.ts'
import type { Invocation } from '../cli/CommandSpec.ts'
import { withLog } from '../serve/withLog.ts'

export const run = async (invocation: Invocation): Promise<void> => {
  const trace = await withLog(invocation, (log) => traceMessage(log, invocation.argument('id')!))
  invocation.out.line(renderTrace(trace))
  invocation.out.result(trace)
}
