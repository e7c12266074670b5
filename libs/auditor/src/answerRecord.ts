import { recordQuestions, type Answering, type Asker } from '@kiroku/audit'
import type { RunningAuditor } from './startAuditor.ts'

/**
 * Answers questions about the record in an engine: only the auditor does, since the engine's loop is everybody's. Errors: those of
 * the question, `NoAuditor`, `Timeout`, `Busy`, `Stopped` (the asker is gone).
 */
export const answerRecord =
  (auditor: Pick<RunningAuditor, 'ask'>) =>
  (asker: Asker): Answering =>
    Object.fromEntries(
      recordQuestions.map((question) => [question, (asked: never) => auditor.ask(question, asked, asker)]),
    ) as Answering
