import { readDeadLetters, type DeadLetter } from '@kiroku/audit'
import { pastOptions } from '@kiroku/auditor'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { withLog } from '../../serve/withLog.ts'

/** Reads the dead letters of a queue from the log, with a progress line on a terminal. */
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
      await readDeadLetters(
        log,
        queue,
        {
          ...pastOptions(auditedLog(log, dataDir)),
          ...(subscription === undefined ? {} : { subscription }),
          onProgress,
        },
        visit,
      )
    } finally {
      done()
    }
  })
