import {
  isOwnSetting,
  limits,
  queueSettings,
  type QueueConfig,
  type QueueSetting,
  type SubscriptionSettings as StoredSettings,
} from '@kiroku/protocol'
import * as Schema from 'effect/Schema'

const optional = Schema.optionalKey
const ms = (description: string) => Schema.Finite.annotate({ description: `${description}, in ms` })
const count = Schema.Finite

/** Who did something administrative. */
export const Actor = Schema.Struct({
  name: Schema.String.annotate({ description: 'Name of the token or user' }),
  origin: Schema.String.annotate({ description: 'Door and address' }),
  reason: optional(Schema.String),
})

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

type ConfigFields = { readonly [Name in keyof QueueConfig]: Schema.Codec<QueueConfig[Name]> }
type SettingFields = Omit<ConfigFields, 'deadLetter'> & { readonly deadLetter: Schema.Codec<string | null> }
type Optional<Fields extends Record<keyof Fields, Schema.Top>> = {
  readonly [Name in keyof Fields]: Schema.optionalKey<Fields[Name]>
}

type OwnFields = Omit<Pick<ConfigFields, keyof ConfigFields & keyof StoredSettings>, 'deadLetter'> & {
  readonly deadLetter: Schema.Codec<string | null>
}

const fieldsFrom = (of: (row: QueueSetting) => Schema.Top, has: (name: string) => boolean = () => true) =>
  Object.fromEntries(
    Object.entries(queueSettings).flatMap(([name, row]) => (has(name) ? [[name, of(row)]] : [])),
  )

/** Its range is documented but not checked here: the engine does that, and its error says what to do. */
const settingOf = (row: QueueSetting): Schema.Top => {
  const { says: description } = row
  switch (row.kind) {
    case 'choice':
      return Schema.Literals(row.choices).annotate({ description, default: row.default })
    case 'retry':
      return RetryPolicy
    case 'schema':
      return Schema.NullOr(Schema.Record(Schema.String, Schema.Json)).annotate({ description })
    case 'queue':
      return Schema.NullOr(Schema.String).annotate({ description: `${description} By name.` })
    default: {
      const { kind, min: minimum, max: maximum } = row
      const unit = kind === 'duration' ? ' In ms.' : kind === 'bytes' ? ' In bytes.' : ''
      const range = Schema.makeFilter(() => true, { toJsonSchema: () => [{ minimum, maximum }, true] })
      const says = { description: description + unit, default: row.default }
      const number = Schema.Finite.check(range).annotate(says)
      return row.orUnlimited === true ? Schema.Union([number, Schema.Literals(['unlimited'])]) : number
    }
  }
}

const Address = Schema.Struct({ name: Schema.String, partition: count, queue: count })

/** A queue's settings as given: what is absent takes the default, or stays. */
export const QueueSettings = Schema.Struct({
  ...(fieldsFrom((row) => optional(settingOf(row))) as unknown as Optional<SettingFields>),
  notes: optional(
    Schema.Record(Schema.String, Schema.NullOr(Schema.String)).annotate({
      description: `Texts that the queue keeps by name, up to ${limits.notesPerQueueMax}; null removes one, and the others stay.`,
    }),
  ),
}).annotate({ identifier: 'QueueSettings' })

const tags = optional(
  Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: 'Only messages with one of these tags are delivered; null: all.',
  }),
)

/** What a subscription sets for itself: what is absent is its queue's, or stays. */
export const SubscriptionSettings = Schema.Struct({
  ...(fieldsFrom((row) => optional(settingOf(row)), isOwnSetting) as unknown as Optional<OwnFields>),
  tags,
}).annotate({ identifier: 'SubscriptionSettings' })

/** The settings in force: dead-letter queues with their address. */
const storedOf = (row: QueueSetting): Schema.Top =>
  row.kind === 'queue' ? Schema.NullOr(Address) : settingOf(row)

/** Where a subscription begins. */
export const StartPosition = Schema.Union([
  Schema.Literals(['latest', 'earliest']),
  Schema.Struct({ number: count }),
  Schema.Struct({ time: ms('Arrival of its first message, since 1970') }),
]).annotate({
  identifier: 'StartPosition',
  description:
    "Only new messages, everything on record, or from a message's number in the queue or a time on.",
})

const configFields = fieldsFrom(storedOf) as unknown as ConfigFields

/** A partition that cannot be read. */
export const MissingPartition = Schema.Struct({
  partition: count,
  queue: optional(Schema.String.annotate({ description: 'Only this queue is missing from the answer' })),
  problem: Schema.Struct({ id: Schema.String, message: Schema.String, help: Schema.String }),
}).annotate({
  description:
    'A partition that cannot be read: all its queues are missing from the answer; or one of its queues.',
})

/** Messages of a queue by state. */
export const Counts = Schema.Struct({
  delayed: count,
  available: count,
  inflight: count,
  waitingRetry: count,
  sent: count,
  committed: count,
  deadLettered: count,
  discarded: count,
  redelivered: count,
}).annotate({ description: 'Messages by state; the final ones are totals since the creation.' })

const figures = (description: string) =>
  optional(
    Schema.Struct({
      count: count.annotate({ description: 'Messages that were measured' }),
      p50Ms: ms('Half of them took at most this long; above 15 ms overstated by up to an eighth'),
      p99Ms: ms('99 of 100 took at most this long'),
    }).annotate({ description }),
  )

/** A subscription. */
const Subscription = Schema.Struct({
  name: Schema.String,
  sub: Schema.Finite.annotate({ description: 'Id of its generation, which a reset changes' }),
  deliveryPaused: Schema.Boolean,
  hold: optional(
    Schema.Struct({
      since: ms('Since when, since 1970'),
      until: ms('Until when, since 1970'),
      error: Schema.String.annotate({ description: "The consumer's reason" }),
    }).annotate({
      description:
        'Deliveries are held because a consumer was told to wait; the hold ends by itself. Absent: no hold',
    }),
  ),
  filling: Schema.Boolean.annotate({ description: 'Messages of the past are being restored.' }),
  settings: Schema.Struct({
    ...(fieldsFrom((row) => optional(storedOf(row)), isOwnSetting) as unknown as Optional<
      Pick<ConfigFields, keyof ConfigFields & keyof StoredSettings>
    >),
    tags,
  }).annotate({ description: 'What it sets for itself.' }),
  config: Schema.Struct(configFields).annotate({ description: 'The settings in force for it.' }),
  counts: Counts,
  waitingPolls: count,
  consumers: optional(
    Schema.Array(
      Schema.Struct({
        name: Schema.String.annotate({ description: 'The name it gave; several of one name are one' }),
        waitingPolls: count.annotate({ description: 'Its waiting receives' }),
        inflight: count.annotate({
          description: 'Messages that it holds, except those of old deliveries and of an earlier owner',
        }),
        since: optional(ms('Since when the owner has heard from it without minutes of silence, since 1970')),
      }),
    ).annotate({
      description:
        'Consumers that wait for messages or hold some, at most 100; only when a single queue is requested',
    }),
  ),
  batches: optional(
    Schema.Struct({
      deliveries: count.annotate({ description: 'Batches, each an invocation of a handler' }),
      messages: count.annotate({ description: 'Messages in them' }),
      messagesMax: count.annotate({ description: 'The most that a receive asked for' }),
      waited: figures('How long messages waited for others to fill their batch'),
    }).annotate({
      description:
        'How full its batches were in the last minute, at most 80 s; absent if nothing was delivered',
    }),
  ),
}).annotate({ identifier: 'Subscription' })

/** Messages on their way to another queue. */
export const Outbox = Schema.Struct({
  to: Schema.String.annotate({ description: 'Queue that they go to' }),
  messages: count,
  held: optional(
    Schema.Struct({
      reason: Schema.Literals(['targetGone', 'subscriptionGone']).annotate({
        description: 'The target queue was deleted, or the subscription there that they are for',
      }),
      since: ms('Since when, since 1970'),
    }).annotate({ description: 'Why they are held; absent: they are not' }),
  ),
})

/** A queue. */
export const Queue = Schema.Struct({
  name: Schema.String,
  partition: count,
  queue: Schema.Finite.annotate({ description: 'Id of the queue in its partition; never used again' }),
  warnings: Schema.Array(Schema.String).annotate({
    description: 'What settings and recent deliveries warn of: the reason and what to do instead',
  }),
  createdAt: optional(ms('When it was created, since 1970; absent if before this was kept')),
  configuredAt: optional(ms('When settings or notes were last changed, since 1970')),
  purgedAt: optional(ms('When a purge last discarded something, since 1970')),
  notes: optional(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: 'Texts that it keeps by name; only when a single queue is requested',
    }),
  ),
  deliveryPaused: Schema.Boolean,
  config: Schema.Struct(configFields),
  counts: Counts,
  subscriptions: Schema.Array(Subscription),
  oldestAgeMs: ms('Age of the oldest message that is not final'),
  waitingPolls: count,
  outbox: optional(
    Schema.Array(Outbox).annotate({
      description: 'Dead letters and redriven messages that have not arrived yet',
    }),
  ),
  times: optional(
    Schema.Struct({
      waiting: figures('From the send, delays included, to the first delivery'),
      processing: figures('From a delivery to its acknowledgement'),
    }).annotate({
      description:
        'How long messages took in the last minute, at most 80 s, since the owner took over; absent if nothing was delivered',
    }),
  ),
  spread: optional(
    Schema.Struct({
      version: count,
      parts: Schema.Array(
        Schema.Struct({
          partition: count,
          queue: Schema.Finite.annotate({ description: 'Id of the queue there; 0: not created yet' }),
          state: Schema.Literals(['home', 'opening', 'open', 'sealed']),
          counts: optional(Counts),
        }),
      ),
    }).annotate({ description: 'Of a queue on several partitions: its parts' }),
  ),
}).annotate({ identifier: 'Queue' })

/** All queues of the log, and what is missing. */
export const QueueList = Schema.Struct({
  queues: Schema.Array(Queue),
  missing: Schema.Array(MissingPartition),
})

const attributes = Schema.Record(Schema.String, Schema.String)
const attributeTypes = optional(
  attributes.annotate({
    description: 'Types of attributes that are no plain text, as SQS has them; binary ones are base64',
  }),
)

const outgoing = {
  body: optional(Schema.Json.annotate({ description: 'Text, or any JSON value' })),
  bodyBase64: optional(Schema.String.annotate({ description: 'Bytes, instead of `body`' })),
  delayMs: optional(ms('Pause before the message can be received')),
  attributes: optional(attributes),
  attributeTypes,
  tag: optional(Schema.String.annotate({ description: 'What subscriptions filter by' })),
  group: optional(
    Schema.String.annotate({ description: 'Message group of an ordered queue, or tenant of a fair one' }),
  ),
  dedupId: optional(
    Schema.String.annotate({ description: 'By what a deduplicating queue recognizes a repeat' }),
  ),
  contentType: optional(Schema.String),
  traceparent: optional(Schema.String.annotate({ description: 'W3C trace context' })),
}

/** A message to send. */
export const OutgoingMessage = Schema.Struct(outgoing).annotate({ identifier: 'OutgoingMessage' })

/** Several messages to send. */
export const OutgoingBatch = Schema.Struct({
  messages: Schema.Array(OutgoingMessage).check(Schema.isMaxLength(limits.messagesPerSendMax)),
  delayMs: optional(ms('Pause of messages without their own')),
}).annotate({ identifier: 'OutgoingBatch' })

/** How to receive. */
export const ReceiveRequest = Schema.Struct({
  subscription: optional(Schema.String.annotate({ description: 'Default: main' })),
  group: optional(
    Schema.String.annotate({ description: 'Only messages of this group; default: all groups' }),
  ),
  max: optional(count),
  bytesMax: optional(count),
  waitMs: optional(ms('Long poll')),
  batchWaitMs: optional(ms('Wait for a fuller batch, from the first available message')),
  leaseMs: optional(ms('Lease')),
  attemptId: optional(
    Schema.String.annotate({ description: 'A receive that is repeated with it gets the same batch again' }),
  ),
  mode: optional(Schema.Literals(['simple', 'push'])),
}).annotate({ identifier: 'ReceiveRequest' })

/** A delivered message: JSON and text in `body`, other bytes in `bodyBase64`. */
export const ReceivedMessage = Schema.Struct({
  id: Schema.String,
  receipt: Schema.String.annotate({
    description: 'Identifies this delivery to ack, retry, extend and release',
  }),
  attempt: count,
  enqueuedAt: ms('When it was stored, since 1970'),
  leaseUntil: ms('End of the lease, since 1970'),
  body: optional(Schema.Json),
  bodyBase64: optional(Schema.String),
  attributes,
  attributeTypes,
  tag: optional(Schema.String),
  group: optional(Schema.String),
  dedupId: optional(Schema.String),
  contentType: optional(Schema.String),
  traceparent: optional(Schema.String),
  lineage: optional(
    Schema.Json.annotate({
      description: 'Of dead letters and redriven messages: where they came from, and why',
    }),
  ),
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

/** Receipts to give back without counting the attempt. */
export const ReleaseRequest = Schema.Struct({
  receipts,
  delayMs: optional(ms('Pause; absent or 0: none')),
  error: optional(Schema.String.annotate({ description: 'Cause, for the record' })),
  holdSubscription: optional(
    Schema.Boolean.annotate({
      description: 'Hold the deliveries of the subscription for as long; needs a delay',
    }),
  ),
}).annotate({ identifier: 'ReleaseRequest' })

/** Receipts whose leases end `leaseMs` from now. */
export const ExtendRequest = Schema.Struct({ receipts, leaseMs: ms('Lease from now') }).annotate({
  identifier: 'ExtendRequest',
})

/** Receipts to dead-letter on purpose. */
export const DeadLetterRequest = Schema.Struct({ receipts, error: optional(Schema.String) }).annotate({
  identifier: 'DeadLetterRequest',
})

/** When a delayed message is to be due: one of the two. */
export const RescheduleRequest = Schema.Struct({
  delayMs: optional(ms('From now')),
  at: optional(ms('A time, since 1970; a past one means now')),
}).annotate({ identifier: 'RescheduleRequest' })

/** One result per receipt, in order; without `error` it was accepted. */
export const SettleResults = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      receipt: Schema.String,
      error: optional(Schema.Struct({ id: Schema.String, message: Schema.String, help: Schema.String })),
    }),
  ),
}).annotate({ identifier: 'SettleResults' })

/** What is wrong, and what to do. */
export const Problem = Schema.Struct({
  id: Schema.String,
  message: Schema.String,
  help: Schema.optionalKey(Schema.String),
})
