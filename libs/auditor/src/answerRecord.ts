import type { Answering, RecordQuestion, RecordQuestions } from '@kiroku/audit'
import type { AuditedLog } from './AuditedLog.ts'
import { auditorOr } from './auditorOr.ts'
import { actsOfLog } from './index/actsOfLog.ts'
import { hidingNow } from './index/hidingNow.ts'
import { traceMessage } from './index/traceMessage.ts'
import { answerPast } from './past/answerPast.ts'
import { pastOptions } from './past/pastOptions.ts'
import type { RunningAuditor } from './startAuditor.ts'

/**
 * Answers questions about the record in an engine: the auditor does, to keep the engine's loop free. Where
 * none is running, this process answers what needs no index. Errors: those of the question, `Timeout`,
 * `NoAuditor`.
 */
export const answerRecord = (audited: AuditedLog, auditor: Pick<RunningAuditor, 'ask'>): Answering => {
  const indexed =
    <Q extends RecordQuestion>(question: Q) =>
    (asked: RecordQuestions[Q]['asked']): Promise<RecordQuestions[Q]['answer']> =>
      auditor.ask(question, asked)
  return {
    ...auditorOr(auditor, {
      ...answerPast(
        audited.log,
        () => pastOptions(audited),
        () => hidingNow(audited),
      ),
      acts: (filter) => actsOfLog(audited, filter),
      trace: ({ messageId, asOperator = false }) => traceMessage(audited, messageId, { asOperator }),
    }),
    search: indexed('search'),
    history: indexed('history'),
  }
}
