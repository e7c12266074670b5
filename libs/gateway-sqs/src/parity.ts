/** How something is here beside Amazon SQS. */
export interface Parity {
  readonly is: 'as AWS' | 'stricter' | 'looser' | 'extension' | 'not here'
  /** What is so, in a sentence; absent: nothing more is to be said. */
  readonly says?: string
}

/** What is not plainly as AWS, of actions and, behind a dot, of what they are asked and answer. */
export const actionParity: Readonly<Record<string, Parity>> = {
  CreateQueue: { is: 'looser', says: 'A deleted name is free at once, unless `--sqs-pauses` is on.' },
  'GetQueueUrl.QueueOwnerAWSAccountId': {
    is: 'looser',
    says: 'Not looked at: all queues of a door are of one account.',
  },
  'SendMessage.MessageSystemAttributes': {
    is: 'looser',
    says: '`AWSTraceHeader` is any text; its form is not checked.',
  },
  'SendMessage.DelaySeconds': {
    is: 'extension',
    says: 'Up to 14 days, and for single messages of a FIFO queue, where [`delays`](../sqs.md#extensions) is asked for.',
  },
  'SendMessageBatch.Entries': {
    is: 'extension',
    says: 'Each as `SendMessage` has it; together up to 4 MiB where [`bodies`](../sqs.md#extensions) is asked for.',
  },
  'SendMessage.MessageId': { is: 'extension', says: '`kiroku trace` and `search` take it.' },
  PurgeQueue: { is: 'looser', says: 'Needs no pause of 60 s, unless `--sqs-pauses` is on.' },
  ReceiveMessage: {
    is: 'as AWS',
    says: 'Beyond 120,000 messages in flight nothing is delivered; of a standard queue, a short poll is then `OverLimit`.',
  },
  StartMessageMoveTask: {
    is: 'stricter',
    says: 'Moved messages keep their ids. Of a queue that is spread over partitions the rate must be at least the number of those that have messages.',
  },
}

/** The same of attributes of a queue. */
export const attributeParity: Readonly<Record<string, Parity>> = {
  ApproximateNumberOfMessages: { is: 'as AWS', says: 'Exact.' },
  ApproximateNumberOfMessagesDelayed: { is: 'as AWS', says: 'Exact.' },
  ApproximateNumberOfMessagesNotVisible: { is: 'as AWS', says: 'Exact.' },
  CreatedTimestamp: {
    is: 'as AWS',
    says: 'Absent for queues from before an upgrade that keeps it.',
  },
  DelaySeconds: {
    is: 'extension',
    says: 'Up to 14 days where [`delays`](../sqs.md#extensions) is asked for.',
  },
  FifoThroughputLimit: { is: 'looser', says: 'Kept and returned; there is no limit on throughput.' },
  KmsDataKeyReusePeriodSeconds: { is: 'looser', says: 'Kept and returned; nothing is encrypted by it.' },
  KmsMasterKeyId: { is: 'looser', says: 'Kept and returned; nothing is encrypted by it.' },
  LastModifiedTimestamp: { is: 'as AWS', says: 'A changed tag counts too.' },
  MaximumMessageSize: {
    is: 'extension',
    says: 'Up to 4 MiB where [`bodies`](../sqs.md#extensions) is asked for.',
  },
  Policy: {
    is: 'stricter',
    says: 'Conditions that the door does not know never allow, and deny in a `Deny`; `NotPrincipal` is refused.',
  },
  RedriveAllowPolicy: { is: 'looser', says: 'Counts when a redrive policy is set through this door.' },
  SqsManagedSseEnabled: {
    is: 'looser',
    says: 'Kept and returned; nothing is encrypted by it, so that it is `false` until it is set.',
  },
}

/** The same of system attributes of a message. */
export const systemAttributeParity: Readonly<Record<string, Parity>> = {
  ApproximateFirstReceiveTimestamp: {
    is: 'as AWS',
    says: 'Over all queues, and across move tasks; absent where an older version delivered it.',
  },
  ApproximateReceiveCount: { is: 'as AWS', says: 'Over all queues, and across move tasks.' },
  KirokuHistory: {
    is: 'extension',
    says: 'What the message went through, where [`history`](../sqs.md#extensions) is asked for.',
  },
  SenderId: { is: 'looser', says: 'The name of the key that sent it, else `anonymous`.' },
  SentTimestamp: { is: 'as AWS', says: 'Of the first send, also after a move task.' },
}

/** The same of errors. */
export const errorParity: Readonly<Record<string, Parity>> = {
  InternalFailure: { is: 'as AWS', says: 'A defect; the log of the door says what failed.' },
  OverLimit: { is: 'as AWS', says: 'Of policies, permissions and messages in flight.' },
  RequestThrottled: { is: 'as AWS', says: 'The door or the engine is at a limit; with `Retry-After`.' },
  ServiceUnavailable: {
    is: 'as AWS',
    says: 'No engine answers, or NATS has been away for seconds; SDKs ask again.',
  },
  UnsupportedOperation: { is: 'as AWS', says: 'The log must be upgraded first.' },
}

/** Errors of AWS that this door never answers with, and what it does instead. */
export const errorsNotHere: Readonly<Record<string, string>> = {
  InvalidAddress: 'Any host reaches the door.',
  InvalidIdFormat: 'AWS has it no longer.',
  InvalidSecurity: 'The door does not ask for TLS.',
  KmsAccessDenied: 'There is no KMS.',
  KmsDisabled: 'There is no KMS.',
  KmsInvalidKeyUsage: 'There is no KMS.',
  KmsInvalidState: 'There is no KMS.',
  KmsNotFound: 'There is no KMS.',
  KmsOptInRequired: 'There is no KMS.',
  KmsThrottled: 'There is no KMS.',
  MessageNotInflight:
    'A message that is not in flight is `InvalidParameterValue` or, in a standard queue, no error.',
}

/** Errors that no spec brings about from outside. */
export const errorsUnshown: ReadonlySet<string> = new Set([
  'InternalFailure',
  'RequestThrottled',
  'ServiceUnavailable',
  'UnsupportedOperation',
])
