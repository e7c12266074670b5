import type { DeadLetterSource } from '@kiroku/api'
import { auditorOr, type Answering, type PastMethod, type RunningAuditor } from '@kiroku/auditor'
import { parseMoment } from '../audit/parseMoment.ts'

/** Reads what the HTTP API is asked of dead letters, and asks the auditor's process; `here` answers where none runs. */
export const letterSource = (
  here: Answering<PastMethod>,
  auditor: RunningAuditor | undefined,
): DeadLetterSource => {
  const ask = auditorOr(auditor, here)
  return {
    list: async (queue, { at, ...asked }) =>
      ask.deadLetters({
        queue,
        ...asked,
        ...(at === undefined ? {} : { at: parseMoment(at, 'at', Date.now()) }),
      }),
    select: (queue, asked) => ask.selectLetters({ queue, ...asked }),
  }
}
