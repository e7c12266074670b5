import type { Answering, RecordQuestion, RecordQuestions } from '@kiroku/audit'
import { isKirokuError } from '@kiroku/protocol'
import type { RunningAuditor } from './startAuditor.ts'

/**
 * Asks the auditor's process, to keep the engine's loop free; `here` answers if none is running. Errors:
 * those of the question, `Timeout`.
 */
export const auditorOr = <M extends RecordQuestion>(
  auditor: Pick<RunningAuditor, 'ask'>,
  here: Answering<M>,
): Answering<M> => {
  const ask = async <K extends M>(
    method: K,
    asked: RecordQuestions[K]['asked'],
  ): Promise<RecordQuestions[K]['answer']> => {
    try {
      return await auditor.ask(method, asked)
    } catch (error) {
      if (isKirokuError(error) && error.id === 'NoAuditor') return here[method](asked)
      throw error
    }
  }
  const methods = Object.keys(here) as M[]
  const bound = methods.map((method) => [method, (asked: RecordQuestions[M]['asked']) => ask(method, asked)])
  return Object.fromEntries(bound) as Answering<M>
}
