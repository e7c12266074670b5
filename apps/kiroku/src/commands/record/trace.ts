import { exportTrace, importTrace, renderTrace, type Trace } from '@kiroku/audit'
import { traceMessage } from '@kiroku/auditor'
import { KirokuError } from '@kiroku/protocol'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { withLog } from '../../serve/withLog.ts'
import { readText, writeText } from './textFile.ts'

export const run = async (invocation: Invocation): Promise<void> => {
  const { out, text } = invocation
  const trace = await found(invocation)
  const file = text('export')
  if (file !== undefined) await writeText(file, exportTrace(trace))
  out.line(renderTrace(trace))
  if (file !== undefined) out.line(`${trace.steps.length} steps written to ${file}`)
  out.result(trace)
}

const found = async (invocation: Invocation): Promise<Trace> => {
  const [id, file] = [invocation.argument('id'), invocation.text('import')]
  if ((id === undefined) === (file === undefined))
    throw new KirokuError('InvalidArgument', 'name a message id, or a file with --import')
  if (file !== undefined) return importTrace(await readText(file))
  const progress = showProgress()
  return withLog(invocation, (log) =>
    traceMessage(auditedLog(log, invocation.settings().dataDir), id!, progress),
  ).finally(progress.done)
}
