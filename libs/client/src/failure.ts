import { KirokuError, errorRegistry, isKirokuError, type ErrorId } from '@kiroku/protocol'

/** Whatever was thrown as an error of the registry; an unknown failure is a defect. */
export const toKirokuError = (thrown: unknown): KirokuError =>
  isKirokuError(thrown)
    ? thrown
    : new KirokuError('Internal', thrown instanceof Error ? thrown.message : String(thrown), {
        cause: thrown,
      })

/**
 * The error as its caller should see it: what a callback rejects with knows nothing of who awaits it, so its stack
 * would end inside of this library. To be thrown by an async function that the caller awaits.
 */
export const forCaller = (thrown: unknown): unknown =>
  isKirokuError(thrown)
    ? new KirokuError(thrown.id, thrown.message, { cause: thrown.cause, retryAfterMs: thrown.retryAfterMs })
    : thrown

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
