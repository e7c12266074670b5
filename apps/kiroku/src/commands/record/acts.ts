import { missingText, parseActFilter, renderActs, type LostPartition } from '@kiroku/audit'
import { actsOfLog } from '@kiroku/auditor'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { withLog } from '../../serve/withLog.ts'

export const run = async (invocation: Invocation): Promise<void> => {
  const { out, text } = invocation
  const filter = parseActFilter(
    { queue: text('queue'), actor: text('actor'), since: text('since') },
    Date.now(),
  )
  const progress = showProgress()
  const missing: LostPartition[] = []
  const acts = await withLog(invocation, (log) =>
    actsOfLog(auditedLog(log, invocation.settings().dataDir), filter, progress.onProgress, (each) =>
      missing.push(each),
    ),
  ).finally(progress.done)
  out.line(renderActs(acts))
  for (const each of missing) out.line(missingText(each))
  out.result({ acts, ...(missing.length === 0 ? {} : { missing }) })
}
