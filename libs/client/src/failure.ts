import { KirokuError, errorRegistry, isKirokuError, type ErrorId } from '@kiroku/message'

/** Whatever was thrown as an error of the registry; an unknown failure is a defect. */
export const toKirokuError = (thrown: unknown): KirokuError =>
  isKirokuError(thrown)
    ? thrown
    : new KirokuError('Internal', thrown instanceof Error ? thrown.message : String(thrown), {
        cause: thrown,
      })

/** Whether the same request can succeed later at the same place; what moved must be asked for elsewhere. */
export const isRetryable = (error: KirokuError): boolean =>
  errorRegistry[error.id].retryable && error.id !== 'QueueMoved'

const unknownOutcome = new Set<ErrorId>([
  'Timeout',
  'LogAmbiguous',
  'Fenced',
  'NotOwner',
  'NatsUnreachable',
  'SendUnknown',
])

/** Whether the request may have taken effect although it failed. */
export const leavesOutcomeUnknown = (error: KirokuError): boolean => unknownOutcome.has(error.id)
