import { KirokuError, type ErrorId } from '@kiroku/protocol'
import { JetStreamApiError } from '@nats-io/jetstream'
import { AuthorizationError, PermissionViolationError } from '@nats-io/nats-core'

/** Codes of JetStream's API errors that matter here (server/errors.json of nats-server). */
export const jetStreamCode = {
  wrongLastSequence: 10071,
  wrongLastSequenceConstant: 10164,
  storeFailed: 10077,
  streamNotFound: 10059,
  streamNameInUse: 10058,
  subjectsOverlap: 10065,
} as const

/**
 * What an API error of JetStream means to the log. Any other leaves it unknown whether something was stored.
 */
const meaning: Readonly<Record<number, ErrorId>> = {
  [jetStreamCode.wrongLastSequence]: 'Fenced',
  [jetStreamCode.wrongLastSequenceConstant]: 'Fenced',
  [jetStreamCode.storeFailed]: 'StorageFull',
  10002: 'StorageFull', // account resources exceeded
  10023: 'StorageFull', // insufficient resources
  10028: 'StorageFull', // memory resources exceeded
  10047: 'StorageFull', // insufficient storage resources
  10122: 'StorageFull', // max stream bytes exceeded
  10054: 'RecordTooLarge', // message larger than the stream takes
  10039: 'JetStreamDisabled', // not enabled for the account
  10076: 'JetStreamDisabled', // not enabled
  10005: 'InvalidArgument', // no suitable peers for placement: fewer servers than replicas
  10074: 'InvalidArgument', // replicas on a single server
  10008: 'NoQuorum', // cluster not available
  [jetStreamCode.streamNotFound]: 'NatsUnreachable',
}

/** Whether JetStream said that a stream does not exist, anywhere in the chain of causes. */
export const isStreamMissing = (thrown: unknown): boolean => {
  if (thrown instanceof JetStreamApiError) return thrown.code === jetStreamCode.streamNotFound
  return thrown instanceof Error && thrown.cause !== undefined && isStreamMissing(thrown.cause)
}

/** Whether JetStream refused a write since another one came before it. */
export const isOvertaken = (thrown: unknown): boolean =>
  thrown instanceof JetStreamApiError && meaning[thrown.code] === 'Fenced'

/** An error as JetStream's API states it. */
export interface ApiError {
  readonly code: number
  readonly err_code: number
  readonly description: string
}

/**
 * Whether an error means that NATS, its JetStream or its quorum is not there, and may still come: what JetStream answers
 * otherwise, it would answer again.
 */
export const isNatsAway = (error: KirokuError): boolean =>
  error.id === 'NoQuorum' || ((error.id === 'NatsUnreachable' || error.id === 'Timeout') && !isAnswer(error))

const isAnswer = (error: Error): boolean =>
  error instanceof JetStreamApiError || (error.cause instanceof Error && isAnswer(error.cause))

/** The typed error for an answer of JetStream to a publish. */
export const fromApiError = (error: ApiError, what: string): KirokuError => {
  const id =
    meaning[error.err_code] ?? (/maximum .*exceeded/.test(error.description) ? 'StorageFull' : 'LogAmbiguous')
  return new KirokuError(id, `${what}: ${error.description} (JetStream error ${error.err_code})`)
}

/** The typed error for what a call of the NATS client threw. */
export const toKirokuError = (cause: unknown, what: string): KirokuError => {
  if (cause instanceof KirokuError) return cause
  if (cause instanceof Error && cause.name === 'JetStreamNotEnabled')
    return new KirokuError('JetStreamDisabled', what, { cause })
  if (cause instanceof JetStreamApiError) {
    const id = meaning[cause.code] ?? 'NatsUnreachable'
    return new KirokuError(id, `${what}: ${cause.message} (JetStream error ${cause.code})`, { cause })
  }
  const text = cause instanceof Error ? cause.message : String(cause)
  return new KirokuError(idOf(cause), `${what}: ${text}`, { cause })
}

/** The NATS client wraps why a request failed, sometimes more than once. */
const idOf = (cause: unknown): ErrorId => {
  if (cause instanceof PermissionViolationError) return 'NatsForbidden'
  if (cause instanceof AuthorizationError) return 'NatsUnauthorized'
  return cause instanceof Error && cause.cause !== undefined ? idOf(cause.cause) : 'NatsUnreachable'
}
