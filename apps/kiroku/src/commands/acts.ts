import { missingText, renderActs, type LostPartition } from '@kiroku/audit'
import { actFilter } from '../audit/actFilter.ts'
import { actsOfLog } from '../audit/actsOfLog.ts'
import { showProgress } from '../audit/showProgress.ts'
import type { Invocation } from '../cli/CommandSpec.ts'
import { withLog } from '../serve/withLog.ts'

export const run = async (invocation: Invocation): Promise<void> => {
  const { out, text } = invocation
  const filter = actFilter({ queue: text('queue'), actor: text('actor'), since: text('since') }, Date.now())
  const progress = showProgress()
  const missing: LostPartition[] = []
  const acts = await withLog(invocation, (log) =>
    actsOfLog(log, invocation.settings().dataDir, filter, progress.onProgress, (each) => missing.push(each)),
  ).finally(progress.done)
  out.line(renderActs(acts))
  for (const each of missing) out.line(missingText(each))
  out.result({ acts, ...(missing.length === 0 ? {} : { missing }) })
}
