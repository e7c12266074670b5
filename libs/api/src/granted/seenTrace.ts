import type { Answering, Trace } from '@kiroku/audit'
import type { Granted } from './Granted.ts'
import { unknownMessage } from './refuseUnseen.ts'
import { traceWithoutOthers } from './traceWithoutOthers.ts'

/** The trace of a message as the caller may know it. Errors: `UnknownMessage`, and those of the question. */
export const seenTrace = async (
  answers: Pick<Answering, 'trace'>,
  granted: Granted,
  messageId: string,
): Promise<Trace> => {
  const { asOperator } = granted.asking
  if (!granted.differs) return answers.trace({ messageId, asOperator })
  const seen = traceWithoutOthers(await answers.trace({ messageId, asOperator: true }), granted)
  if (seen === undefined) throw unknownMessage(messageId)
  return seen
}
