import { renderActs } from '@kiroku/audit'
import { actFilter } from '../audit/actFilter.ts'
import { actsOfLog } from '../audit/actsOfLog.ts'
import { showProgress } from '../audit/showProgress.ts'
import type { Invocation } from '../cli/CommandSpec.ts'
import { withLog } from '../serve/withLog.ts'

export const run = async (invocation: Invocation): Promise<void> => {
  const { out, text } = invocation
  const filter = actFilter({ queue: text('queue'), actor: text('actor'), since: text('since') }, Date.now())
  const progress = showProgress()
  const acts = await withLog(invocation, (log) =>
    actsOfLog(log, invocation.settings().dataDir, filter, progress.onProgress),
  ).finally(progress.done)
  out.line(renderActs(acts))
  out.result({ acts })
}
