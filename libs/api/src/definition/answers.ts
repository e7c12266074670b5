import { stateNames } from '@kiroku/protocol'
import * as Schema from 'effect/Schema'
import { published } from './published.ts'
import { Actor, Counts, Problem, Queue } from './schemas.ts'

const optional = Schema.optionalKey
const text = Schema.String
const count = Schema.Finite
const ms = (description: string) =>
  Schema.Finite.annotate({ description: `${description}, in ms since 1970` })
const seq = Schema.Finite.annotate({ description: 'Sequence of a record of the partition' })
const state = Schema.Literals(stateNames)
const list = <S extends Schema.Top>(of: S) => Schema.Array(of)

const Hold = Schema.Struct({
  since: ms('Since when deliveries are held'),
  until: ms('Until when'),
  error: text.annotate({ description: "The consumer's reason; empty: none given" }),
})

const hidden = optional(
  Schema.Literals(['body', 'all']).annotate({
    description:
      'What queues that it passed hide of it: body and attributes, or these and the texts of its errors; absent: nothing. Operators see all but the body.',
  }),
)

const Forward = Schema.Struct({ partition: count, queue: text, forward: count })

const TraceStep = Schema.Struct({
  partition: count,
  seq,
  at: ms('Partition time'),
  queue: text.annotate({ description: 'Queue in which it was' }),
  subscription: optional(text.annotate({ description: 'Absent: all of them, or main' })),
  number: count.annotate({ description: 'Its number in that queue' }),
  event: text,
  state: state.annotate({ description: 'The state after it' }),
  attempt: count,
  producer: optional(text),
  send: optional(count),
  delivery: optional(count),
  consumer: optional(text),
  leaseUntil: optional(ms('End of the lease')),
  dueAt: optional(ms('When a delay or a pause ends')),
  cause: optional(text),
  error: optional(text),
  reason: optional(text),
  target: optional(Forward.annotate({ description: 'Where a dead letter or a redriven message goes' })),
  from: optional(Forward.annotate({ description: 'Where a forwarded message came from' })),
  body: optional(Schema.Struct({ queue: count, seq: count, index: count })),
  by: optional(Actor),
  voided: optional(Schema.Literal(true)),
})

const TraceAttempt = Schema.Struct({
  queue: text,
  subscription: optional(text),
  attempt: count,
  delivery: count,
  consumer: text,
  waitMs: count.annotate({ description: 'How long it had been available, in ms' }),
  at: ms('When it was delivered'),
  leaseUntil: ms('End of the lease'),
  ms: optional(count.annotate({ description: 'How long it was in flight, in ms; absent while it is' })),
  outcome: optional(text.annotate({ description: 'The event that ended it' })),
  error: optional(text),
})

const MissingPartition = Schema.Struct({ partition: count, problem: Problem })

/** Everything on record about one message. */
export const TraceAnswer = published(
  'Trace',
  Schema.Struct({
    messageId: text,
    queues: list(text),
    state,
    steps: list(TraceStep),
    attempts: list(TraceAttempt),
    cameBack: count.annotate({ description: 'How often it was redriven and became a dead letter again' }),
    complete: Schema.Boolean.annotate({ description: 'Whether the record still holds its beginning' }),
    unreadable: list(Schema.Struct({ partition: count, seq: count })),
    missing: optional(list(MissingPartition)),
    hidden,
  }),
)

const Place = Schema.Struct({
  partition: count,
  queue: count.annotate({ description: 'Id of the queue there' }),
  seq,
  at: ms('Partition time of the last record up to there'),
})

const overview = {
  queue: text,
  at: ms('The moment'),
  places: list(Place),
  config: Queue.fields.config,
  deliveryPaused: Schema.Boolean,
  counts: Counts,
  subscriptions: list(
    Schema.Struct({
      name: text,
      sub: count,
      deliveryPaused: Schema.Boolean,
      hold: optional(Hold),
      counts: Counts,
    }),
  ),
  oldestAgeMs: count.annotate({ description: 'Age of the oldest message that was not final, in ms' }),
}

const MomentMessage = Schema.Struct({
  messageId: text,
  partition: count,
  number: count,
  subscription: optional(text.annotate({ description: 'Absent: it is delayed, for all subscriptions' })),
  state,
  attempt: count,
  enqueuedAt: ms('When it was stored'),
  bytes: count,
  group: optional(text),
  dueAt: optional(ms('When its delay or pause ends')),
  delivery: optional(count),
  leaseUntil: optional(ms('End of the lease')),
})

/** A queue at a moment. */
export const QueueMomentAnswer = published(
  'QueueMoment',
  Schema.Struct({
    ...overview,
    messages: list(MomentMessage),
    messagesTotal: count,
    next: optional(text.annotate({ description: 'Cursor of the next page' })),
  }),
)

/** All queues at a moment. */
export const LogMomentAnswer = published(
  'LogMoment',
  Schema.Struct({
    at: ms('The moment'),
    queues: list(Schema.Struct(overview)),
    partitions: list(
      Schema.Struct({ partition: count, seq, at: ms('Partition time'), epoch: count, owner: optional(text) }),
    ),
    missing: list(MissingPartition),
  }),
)

const Frame = Schema.Struct({ seq, at: ms('Partition time') })

/** The span of the record. */
export const SpanAnswer = published(
  'Span',
  Schema.Struct({
    from: Schema.Struct({ at: ms('Since when the state is known') }),
    to: Schema.Struct({ at: ms('The last record') }),
    partitions: list(
      Schema.Struct({ partition: count, firstSeq: count, lastSeq: count, from: Frame, to: Frame }),
    ),
    home: optional(count.annotate({ description: 'Partition of the requested queue' })),
  }),
)

const Side = Schema.Struct({ at: ms('The moment'), places: list(Place) })
const Standing = Schema.Struct({ state, attempt: count })
const DiffMessages = Schema.Struct({
  total: count,
  messages: list(
    Schema.Struct({
      messageId: text,
      partition: count,
      number: count,
      subscription: text,
      before: optional(Standing),
      after: optional(Standing),
    }),
  ),
})

/** What changed in a queue between two moments. */
export const DiffAnswer = published(
  'QueueDiff',
  Schema.Struct({
    queue: text,
    a: Schema.optional(Side).annotate({ description: 'Absent: the queue did not exist' }),
    b: Schema.optional(Side).annotate({ description: 'Absent: the queue did not exist' }),
    counts: Schema.Record(text, Schema.Struct({ a: count, b: count })),
    config: list(Schema.Struct({ setting: text, a: Schema.Unknown, b: Schema.Unknown })),
    appeared: DiffMessages,
    changed: DiffMessages,
    left: DiffMessages.annotate({ description: 'Final by then' }),
  }),
)

const FoundMessage = Schema.Struct({
  messageId: text,
  partition: count,
  queue: text,
  subscription: text,
  number: count,
  state,
  attempt: count,
  reason: text.annotate({ description: 'Why it was discarded or became a dead letter; empty: neither' }),
  error: text.annotate({ description: 'Its last error; empty: none' }),
  fingerprint: text.annotate({ description: 'Fingerprint that errors of the same form share' }),
  group: text,
  tag: text,
  consumer: text,
  producer: text,
  attributes: Schema.Record(text, text),
  redrives: count,
  sentAt: ms('When it arrived in the queue'),
  sentSeq: count,
  at: ms('When something last happened to it'),
  seq,
  hidden,
})

/** Messages that match a filter. */
export const SearchAnswer = published(
  'SearchAnswer',
  Schema.Struct({
    messages: list(FoundMessage),
    cursor: optional(text.annotate({ description: 'Cursor of the next page; absent: this was the last' })),
    reached: list(Schema.Struct({ partition: count, seq, at: ms('Partition time') })),
    bodiesNotIndexed: optional(list(text)),
  }),
)

const Act = Schema.Struct({
  partition: count,
  seq,
  index: count,
  at: ms('Partition time'),
  event: text,
  queue: text.annotate({ description: 'Empty if it concerns the partition' }),
  subscription: optional(text),
  by: Actor,
  before: Schema.Record(text, Schema.Unknown),
  after: Schema.Record(text, Schema.Unknown),
})

/** Administrative acts. */
export const ActsAnswer = published('Acts', Schema.Struct({ acts: list(Act) }))

const bucket = {
  at: ms('When it begins'),
  sent: optional(count),
  delivered: optional(count),
  redelivered: optional(count),
  committed: optional(count),
  failed: optional(count),
  released: optional(count),
  deadLettered: optional(count),
  discarded: optional(count),
  waiting: optional(count),
}
const Buckets = list(Schema.Struct(bucket))

/** Counts of what happened over time. */
export const HistoryAnswer = published(
  'History',
  Schema.Struct({
    from: ms('When the first bucket begins'),
    to: ms('When the last one ends'),
    bucketMs: count,
    now: ms('When it was requested'),
    known: Schema.Struct({ from: ms('Since when the index knows the record'), to: ms('Up to when') }),
    buckets: Buckets,
    waitingBefore: count,
    acts: list(
      Schema.Struct({ at: ms('Partition time'), partition: count, seq, event: text, queue: text, by: Actor }),
    ),
    queues: optional(list(Schema.Struct({ queue: text, buckets: Buckets }))),
    queuesTotal: optional(count),
  }),
)

const cost = {
  deliveries: count,
  messages: count,
  messagesPerDelivery: count,
  deliveriesPer1000: count,
  waited: optional(
    Schema.Struct({ count, p50Ms: count, p99Ms: count }).annotate({
      description: 'How long messages waited for others',
    }),
  ),
}

/** What batch size and wait cost. */
export const BatchCostsAnswer = published(
  'BatchCosts',
  Schema.Struct({
    queue: text,
    from: ms('When the arrivals begin'),
    to: ms('When they end'),
    subscriptions: list(
      Schema.Struct({
        subscription: text,
        delivered: Schema.Struct(cost),
        replayed: list(
          Schema.Struct({ ...cost, batchMessages: count, batchWaitMs: count, isSet: Schema.Boolean }),
        ),
      }),
    ),
  }),
)
