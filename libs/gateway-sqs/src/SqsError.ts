import { statusOf } from '@kiroku/doors'
import { isKirokuError, type ErrorId } from '@kiroku/protocol'

/** An error of SQS: its name in the JSON protocol, its code in the Query protocol, and its HTTP status. */
interface Kind {
  readonly name: string
  readonly code: string
  readonly status: number
}

const sqs = 'com.amazonaws.sqs#'
const coral = 'com.amazon.coral.service#'
const old = 'AWS.SimpleQueueService.'

const kind = (name: string, code: string, status = 400): Kind => ({ name, code, status })

/**
 * The errors that this door answers with. Names, codes and statuses are those of the service model in
 * `@aws-sdk/client-sqs`; the last ones are not in it, but every SDK knows them.
 */
export const errorKinds = {
  BatchEntryIdsNotDistinct: kind(`${sqs}BatchEntryIdsNotDistinct`, `${old}BatchEntryIdsNotDistinct`),
  BatchRequestTooLong: kind(`${sqs}BatchRequestTooLong`, `${old}BatchRequestTooLong`),
  EmptyBatchRequest: kind(`${sqs}EmptyBatchRequest`, `${old}EmptyBatchRequest`),
  InvalidAttributeName: kind(`${sqs}InvalidAttributeName`, 'InvalidAttributeName'),
  InvalidAttributeValue: kind(`${sqs}InvalidAttributeValue`, 'InvalidAttributeValue'),
  InvalidBatchEntryId: kind(`${sqs}InvalidBatchEntryId`, `${old}InvalidBatchEntryId`),
  InvalidMessageContents: kind(`${sqs}InvalidMessageContents`, 'InvalidMessageContents'),
  OverLimit: kind(`${sqs}OverLimit`, 'OverLimit', 403),
  PurgeQueueInProgress: kind(`${sqs}PurgeQueueInProgress`, `${old}PurgeQueueInProgress`, 403),
  QueueDeletedRecently: kind(`${sqs}QueueDeletedRecently`, `${old}QueueDeletedRecently`),
  QueueDoesNotExist: kind(`${sqs}QueueDoesNotExist`, `${old}NonExistentQueue`),
  QueueNameExists: kind(`${sqs}QueueNameExists`, 'QueueAlreadyExists'),
  ReceiptHandleIsInvalid: kind(`${sqs}ReceiptHandleIsInvalid`, 'ReceiptHandleIsInvalid', 404),
  RequestThrottled: kind(`${sqs}RequestThrottled`, 'RequestThrottled', 403),
  ResourceNotFoundException: kind(`${sqs}ResourceNotFoundException`, 'ResourceNotFoundException', 404),
  TooManyEntriesInBatchRequest: kind(
    `${sqs}TooManyEntriesInBatchRequest`,
    `${old}TooManyEntriesInBatchRequest`,
  ),
  UnsupportedOperation: kind(`${sqs}UnsupportedOperation`, `${old}UnsupportedOperation`),
  IncompleteSignature: kind(`${coral}IncompleteSignatureException`, 'IncompleteSignature'),
  MissingAuthenticationToken: kind(
    `${coral}MissingAuthenticationTokenException`,
    'MissingAuthenticationToken',
    403,
  ),
  SignatureDoesNotMatch: kind(`${coral}InvalidSignatureException`, 'SignatureDoesNotMatch', 403),
  AccessDenied: kind(`${coral}AccessDeniedException`, 'AccessDenied', 403),
  InternalFailure: kind(`${coral}InternalFailure`, 'InternalFailure', 500),
  InvalidAction: kind(`${coral}UnknownOperationException`, 'InvalidAction'),
  InvalidParameterValue: kind(`${coral}InvalidParameterValueException`, 'InvalidParameterValue'),
  MalformedInput: kind(`${coral}SerializationException`, 'MalformedInput'),
  MissingParameter: kind(`${coral}MissingRequiredParameterException`, 'MissingParameter'),
  RequestEntityTooLarge: kind(`${coral}RequestEntityTooLargeException`, 'RequestEntityTooLarge', 413),
  ServiceUnavailable: kind(`${coral}ServiceUnavailableException`, 'ServiceUnavailable', 503),
} as const satisfies Readonly<Record<string, Kind>>

export type ErrorKind = keyof typeof errorKinds

/** A request that is refused, in SQS's own words. */
export class SqsError extends Error {
  readonly kind: ErrorKind
  /** How long to wait before the next try, in s; absent: as the client sees fit. */
  readonly retryAfterSeconds: number | undefined

  constructor(kind: ErrorKind, message: string, retryAfterSeconds?: number) {
    super(message)
    this.kind = kind
    this.retryAfterSeconds = retryAfterSeconds
  }

  override get name(): string {
    return errorKinds[this.kind].name
  }
  get code(): string {
    return errorKinds[this.kind].code
  }
  get status(): number {
    return errorKinds[this.kind].status
  }
  /** Whether the caller can do something about it. */
  get isSenders(): boolean {
    return this.status < 500
  }
}

/** Errors of Kiroku that say more than their HTTP status; what an action knows better, it says itself. */
const kindOf: Partial<Record<ErrorId, ErrorKind>> = {
  UnknownQueue: 'QueueDoesNotExist',
  QueueExists: 'QueueNameExists',
  InvalidConfig: 'InvalidAttributeValue',
  BodyMismatch: 'InvalidMessageContents',
  InvalidReceipt: 'ReceiptHandleIsInvalid',
  UnknownReceipt: 'ReceiptHandleIsInvalid',
  UnknownRedrive: 'ResourceNotFoundException',
  NotFinalized: 'UnsupportedOperation',
  Busy: 'RequestThrottled',
  LimitReached: 'OverLimit',
  Stopped: 'ServiceUnavailable',
}

/** undefined: a defect. */
const kindByStatus = (status: number): ErrorKind | undefined => {
  if (status === 401 || status === 403) return 'AccessDenied'
  if (status < 500) return 'InvalidParameterValue'
  return status === 500 ? undefined : 'ServiceUnavailable'
}

/** What is answered where this was thrown; undefined: a defect, which is not the caller's to read. */
export const asSqsError = (error: unknown): SqsError | undefined => {
  if (error instanceof SqsError) return error
  if (!isKirokuError(error)) return undefined
  const found = kindOf[error.id] ?? kindByStatus(statusOf(error.id))
  if (found === undefined) return undefined
  const message =
    found === 'QueueDoesNotExist' ? 'The specified queue does not exist.' : `${error.message} ${error.help}`
  const { retryAfterMs } = error
  return new SqsError(found, message, retryAfterMs && Math.max(1, Math.ceil(retryAfterMs / 1_000)))
}

export const missing = (parameter: string): SqsError =>
  new SqsError('MissingParameter', `The request must contain the parameter ${parameter}.`)

export const invalid = (parameter: string, value: unknown, reason: string): SqsError =>
  new SqsError(
    'InvalidParameterValue',
    `Value ${String(value)} for parameter ${parameter} is invalid. Reason: ${reason}`,
  )
