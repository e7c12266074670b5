import { isKirokuError } from '@kiroku/protocol'
import type { AuditorMethod, AuditorMethods } from './AuditorProtocol.ts'
import type { RunningAuditor } from './startAuditor.ts'

/**
 * Asks the auditor's process, so that the engine's loop goes on, or looks from `here` where it is not there. Errors: those
 * of the question, `Timeout`.
 */
export const askOrHere = async <M extends AuditorMethod>(
  auditor: RunningAuditor | undefined,
  method: M,
  asked: AuditorMethods[M]['asked'],
  here: () => Promise<AuditorMethods[M]['answer']>,
): Promise<AuditorMethods[M]['answer']> => {
  if (auditor === undefined) return here()
  try {
    return await auditor.ask(method, asked)
  } catch (error) {
    if (isKirokuError(error) && error.id === 'NoAuditor') return here()
    throw error
  }
}
