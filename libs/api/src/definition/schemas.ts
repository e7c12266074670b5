import { limits } from '@kiroku/partition'
import * as Schema from 'effect/Schema'

const optional = Schema.optionalKey
const ms = (description: string) => Schema.Finite.annotate({ description: `${description}, in ms` })
const count = Schema.Finite

const RetryPolicy = Schema.Union([
  Schema.Struct({ kind: Schema.Literals(['fixed']), delayMs: ms('Pause') }),
  Schema.Struct({
    kind: Schema.Literals(['exponential']),
    baseMs: ms('First pause'),
    factor: Schema.Finite,
    maxMs: ms('Longest pause'),
    jitter: Schema.Finite.annotate({ description: 'Share of the pause that chance may take away, 0 to 1' }),
  }),
  Schema.Struct({ kind: Schema.Literals(['rocketmq']) }),
  Schema.Struct({ kind: Schema.Literals(['list']), delaysMs: Schema.Array(Schema.Finite) }),
]).annotate({ identifier: 'RetryPolicy', description: 'Pauses before a retry.' })

const configFields = {
  leaseMs: ms('Lease of a delivery'),
  leaseCapMs: ms('No extension moves a lease further than this from its receive; 0 is no cap'),
  retriesMax: Schema.Finite.annotate({ description: 'Retries after the first delivery' }),
  retry: RetryPolicy,
  exhaustion: Schema.Literals(['onExpiry', 'onNextReceive']),
  lateHandles: Schema.Literals(['accept', 'reject']),
  retentionMs: ms('A message that is not final after this is discarded'),
  retentionFrom: Schema.Literals(['arrival', 'original']),
  deliveryDelayMs: ms('Delay of a send that asks for none'),
  receiveWaitMs: ms('Long poll of a receive that asks for none'),
  batchMessages: Schema.Finite.annotate({ description: "A consumer's batch closes at this many messages" }),
  batchWaitMs: ms('…or this long after the first available message'),
  batchBytes: Schema.Finite.annotate({ description: '…or at this many bytes' }),
  bodyBytesMax: Schema.Finite.annotate({ description: 'Largest body of a send, in bytes' }),
}

/** A queue's settings as people give them: what is absent takes the default, or stays. */
export const QueueSettings = Schema.Struct({
  leaseMs: optional(configFields.leaseMs),
  leaseCapMs: optional(configFields.leaseCapMs),
  retriesMax: optional(configFields.retriesMax),
  retry: optional(configFields.retry),
  exhaustion: optional(configFields.exhaustion),
  lateHandles: optional(configFields.lateHandles),
  retentionMs: optional(configFields.retentionMs),
  retentionFrom: optional(configFields.retentionFrom),
  deliveryDelayMs: optional(configFields.deliveryDelayMs),
  receiveWaitMs: optional(configFields.receiveWaitMs),
  batchMessages: optional(configFields.batchMessages),
  batchWaitMs: optional(configFields.batchWaitMs),
  batchBytes: optional(configFields.batchBytes),
  bodyBytesMax: optional(configFields.bodyBytesMax),
  deadLetter: optional(
    Schema.NullOr(Schema.String).annotate({
      description: 'Name of the dead-letter queue, created if it is missing; null: none',
    }),
  ),
}).annotate({ identifier: 'QueueSettings' })

/** A queue as it stands. */
export const Queue = Schema.Struct({
  name: Schema.String,
  partition: count,
  queue: Schema.Finite.annotate({ description: 'Id of the queue in its partition; never used again' }),
  deliveryPaused: Schema.Boolean,
  config: Schema.Struct({
    ...configFields,
    deadLetter: Schema.NullOr(Schema.Struct({ name: Schema.String, partition: count, queue: count })),
  }),
  counts: Schema.Struct({
    delayed: count,
    available: count,
    inflight: count,
    waitingRetry: count,
    sent: count,
    committed: count,
    deadLettered: count,
    discarded: count,
    redelivered: count,
  }).annotate({ description: 'Messages by state; the final ones are totals since the creation.' }),
  oldestAgeMs: ms('Age of the oldest message that is not final'),
  waitingPolls: count,
}).annotate({ identifier: 'Queue' })

const attributes = Schema.Record(Schema.String, Schema.String)

const outgoing = {
  body: optional(Schema.Json.annotate({ description: 'Text, or anything JSON can say' })),
  bodyBase64: optional(Schema.String.annotate({ description: 'Bytes, in place of `body`' })),
  delayMs: optional(ms('Pause before the message can be received')),
  attributes: optional(attributes),
  contentType: optional(Schema.String),
  traceparent: optional(Schema.String.annotate({ description: 'W3C trace context' })),
}

/** A message to send. */
export const OutgoingMessage = Schema.Struct(outgoing).annotate({ identifier: 'OutgoingMessage' })

/** Several messages to send. */
export const OutgoingBatch = Schema.Struct({
  messages: Schema.Array(OutgoingMessage).check(Schema.isMaxLength(limits.messagesPerSendMax)),
  delayMs: optional(ms('Pause of those that name none')),
}).annotate({ identifier: 'OutgoingBatch' })

/** How to receive. */
export const ReceiveRequest = Schema.Struct({
  max: optional(count),
  bytesMax: optional(count),
  waitMs: optional(ms('Long poll')),
  batchWaitMs: optional(ms('Wait for a fuller batch, from the first available message')),
  leaseMs: optional(ms('Lease')),
  mode: optional(Schema.Literals(['simple', 'push'])),
}).annotate({ identifier: 'ReceiveRequest' })

/** A message as it was delivered: JSON and text in `body`, other bytes in `bodyBase64`. */
export const ReceivedMessage = Schema.Struct({
  id: Schema.String,
  receipt: Schema.String.annotate({ description: 'Names this delivery to ack, retry, extend and release' }),
  attempt: count,
  enqueuedAt: ms('When it was stored, since 1970'),
  leaseUntil: ms('End of the lease, since 1970'),
  body: optional(Schema.Json),
  bodyBase64: optional(Schema.String),
  attributes,
  contentType: optional(Schema.String),
  traceparent: optional(Schema.String),
  lineage: optional(Schema.Json.annotate({ description: 'Of dead letters: where they came from, and why' })),
}).annotate({ identifier: 'ReceivedMessage' })

const receipts = Schema.NonEmptyArray(Schema.String)

/** Receipts to settle. */
export const Receipts = Schema.Struct({ receipts }).annotate({ identifier: 'Receipts' })

/** Receipts to give back for another attempt. */
export const RetryRequest = Schema.Struct({
  receipts,
  delayMs: optional(ms("Pause; absent: the queue's policy")),
  error: optional(Schema.String.annotate({ description: 'Cause, for the record' })),
}).annotate({ identifier: 'RetryRequest' })

/** Receipts whose leases end `leaseMs` from now. */
export const ExtendRequest = Schema.Struct({ receipts, leaseMs: ms('Lease from now') }).annotate({
  identifier: 'ExtendRequest',
})

/** Receipts to dead-letter on purpose. */
export const DeadLetterRequest = Schema.Struct({ receipts, error: optional(Schema.String) }).annotate({
  identifier: 'DeadLetterRequest',
})

/** One result a receipt, in order; without `error` it was accepted. */
export const SettleResults = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      receipt: Schema.String,
      error: optional(Schema.Struct({ id: Schema.String, message: Schema.String, help: Schema.String })),
    }),
  ),
}).annotate({ identifier: 'SettleResults' })
