import * as Schema from 'effect/Schema'

const optional = Schema.optionalKey
const count = Schema.Finite
const ms = (description: string) => Schema.Finite.annotate({ description: `${description}, in ms` })

const RedriveFilter = Schema.Struct({
  tag: optional(Schema.String),
  cause: optional(
    Schema.String.annotate({
      description: 'Why they are dead letters: retry, leaseExpired, nextReceive, onPurpose',
    }),
  ),
  error: optional(Schema.String.annotate({ description: 'Part of the error they are dead letters with' })),
  attributes: optional(Schema.Record(Schema.String, Schema.String)),
  enqueuedAfter: optional(ms('Stored here at this time or later, since 1970')),
  enqueuedBefore: optional(ms('Stored here before this time, since 1970')),
}).annotate({
  identifier: 'RedriveFilter',
  description: 'What a message must have; everything given must match.',
})

/** What to redrive. */
export const RedriveRequest = Schema.Struct({
  to: optional(
    Schema.String.annotate({
      description: 'Queue that all go to; absent: each goes back to where it came from',
    }),
  ),
  subscription: optional(Schema.String),
  filter: optional(RedriveFilter),
  selection: optional(
    Schema.Array(count).annotate({
      description:
        'Only these messages, by their numbers in the queue as pairs in order: first, count, first, count, …',
    }),
  ),
  group: optional(
    Schema.String.annotate({ description: 'Only this group of dead letters, or the one with this prefix' }),
  ),
  where: optional(Schema.String.annotate({ description: 'Only dead letters that match this filter' })),
  messages: optional(
    Schema.Array(Schema.String).annotate({ description: 'Only these messages, by their ids' }),
  ),
  reason: optional(Schema.String.annotate({ description: 'Why, for the record' })),
  rateMax: optional(count.annotate({ description: 'Most messages per second' })),
  messagesMax: optional(count.annotate({ description: 'Most messages in all' })),
  dryRun: optional(Schema.Boolean.annotate({ description: 'Only count; answers when done' })),
}).annotate({ identifier: 'RedriveRequest' })

/** Another body for a message. */
export const EditRequest = Schema.Struct({
  body: optional(Schema.Json),
  bodyBase64: optional(Schema.String.annotate({ description: 'Instead of "body": any bytes' })),
  contentType: optional(Schema.String.annotate({ description: 'Absent: as before' })),
  reason: optional(Schema.String.annotate({ description: 'Why, for the record' })),
}).annotate({ identifier: 'EditRequest' })

/** Which redrive to cancel. */
export const CancelRedriveRequest = Schema.Struct({
  subscription: optional(Schema.String),
  task: optional(count.annotate({ description: 'Absent: the running one' })),
}).annotate({ identifier: 'CancelRedriveRequest' })

/** A redrive. */
export const Redrive = Schema.Struct({
  task: count.annotate({ description: 'Number within its queue; 0 for a dry run' }),
  queue: Schema.String,
  subscription: Schema.String,
  dryRun: Schema.Boolean,
  state: Schema.Literals(['running', 'completed', 'cancelled', 'failed']),
  to: Schema.Union([
    Schema.Literal('origin'),
    Schema.Struct({ name: Schema.String, partition: count, queue: count }),
  ]),
  filter: RedriveFilter,
  selected: optional(count.annotate({ description: 'Messages that were selected; absent: all' })),
  rateMax: count.annotate({ description: 'Messages per second; 0: no limit' }),
  messagesMax: count.annotate({ description: 'Messages in all; 0: no limit' }),
  startedAt: ms('When it began, since 1970'),
  endedAt: ms('When it ended, since 1970; 0 while it runs'),
  note: Schema.String.annotate({ description: 'Why it failed, or what cannot arrive' }),
  moved: count.annotate({ description: 'Messages that arrived; in a dry run those that would' }),
  onTheWay: optional(count.annotate({ description: 'Messages that were sent and have not arrived yet' })),
  targets: Schema.Array(Schema.Struct({ queue: Schema.String, moved: count })),
  skipped: Schema.Struct({
    noOrigin: optional(count),
    originGone: optional(count),
    originIsSource: optional(count),
    tooOld: optional(count),
    schema: optional(count),
    leased: optional(count),
    waiting: optional(count),
    gone: optional(count),
  }).annotate({ description: 'Messages that stay although they match the filter, by reason' }),
  filtered: count.annotate({ description: 'Messages that do not match the filter' }),
  left: count.annotate({ description: 'Messages not processed yet' }),
  by: Schema.Struct({ name: Schema.String, origin: Schema.String, reason: optional(Schema.String) }),
}).annotate({ identifier: 'Redrive' })
