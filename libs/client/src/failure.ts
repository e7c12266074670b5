import { KirokuError, errorRegistry, isKirokuError, type ErrorId } from '@kiroku/protocol'

/** What was thrown, as an error of the registry; an unknown failure is a defect. */
export const toKirokuError = (thrown: unknown): KirokuError =>
  isKirokuError(thrown)
    ? thrown
    : new KirokuError('Internal', thrown instanceof Error ? thrown.message : String(thrown), {
        cause: thrown,
      })

/**
 * The error as its caller should see it: a rejection from a callback does not know its awaiting caller, so
 * its stack would end inside this library. Throw it in an async function that the caller awaits.
 */
export const forCaller = (thrown: unknown): unknown =>
  isKirokuError(thrown)
    ? new KirokuError(thrown.id, thrown.message, { cause: thrown.cause, retryAfterMs: thrown.retryAfterMs })
    : thrown

/**
 * Whether the same request can succeed later at the same partition; what moved must be requested elsewhere.
 */
export const isRetryable = (error: KirokuError): boolean =>
  errorRegistry[error.id].retryable && error.id !== 'QueueMoved'

/** Whether nothing answered: neither an owner, nor NATS that there is none. */
export const isOutage = ({ id }: KirokuError): boolean =>
  id === 'Timeout' || id === 'NatsUnreachable' || id === 'NoQuorum'

const unknownOutcome = new Set<ErrorId>([
  'Timeout',
  'LogAmbiguous',
  'Fenced',
  'NotOwner',
  'NatsUnreachable',
  'NoQuorum',
  'SendUnknown',
])

/** Whether the request may have taken effect although it failed. */
export const leavesOutcomeUnknown = (error: KirokuError): boolean => unknownOutcome.has(error.id)
