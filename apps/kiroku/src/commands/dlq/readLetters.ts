import { readDeadLetters, type DeadLetter } from '@kiroku/audit'
import { hidingNow, pastOptions } from '@kiroku/auditor'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { withLog } from '../../serve/withLog.ts'

/** Reads the dead letters of a queue from the log, with a progress line on a terminal; says which are hidden. */
export const readLetters = (
  invocation: Invocation,
  queue: string,
  visit: (letter: DeadLetter) => void,
): Promise<void> =>
  withLog(invocation, async (log) => {
    const { onProgress, done } = showProgress()
    const subscription = invocation.text('subscription')
    const { dataDir } = invocation.settings()
    try {
      const audited = auditedLog(log, dataDir)
      await readDeadLetters(
        log,
        queue,
        {
          ...pastOptions(audited),
          sight: { hiding: await hidingNow(audited), asOperator: true },
          ...(subscription === undefined ? {} : { subscription }),
          onProgress,
        },
        visit,
      )
    } finally {
      done()
    }
  })
