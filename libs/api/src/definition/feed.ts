import { stateNames } from '@kiroku/protocol'
import * as Schema from 'effect/Schema'
import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as HttpApiSchema from 'effect/http-api/HttpApiSchema'
import * as OpenApi from 'effect/http-api/OpenApi'
import { RequiredOn, RequiredRole } from './Access.ts'
import { errorSchemas } from './apiError.ts'
import { roleText } from './forRole.ts'
import { Counts } from './schemas.ts'

const error = errorSchemas
const optional = Schema.optionalKey

const place = {
  position: Schema.String.annotate({ description: 'Position from which a reader resumes' }),
  at: Schema.Finite.annotate({
    description: 'The latest partition time of what it contains, in ms since 1970',
  }),
  silent: Schema.Array(Schema.Finite).annotate({
    description: 'Partitions that do not answer now; it contains their last report, if any',
  }),
}
const seqs = Schema.Array(Schema.Finite).annotate({
  description: 'By partition: the last record it contains',
})

const Snapshot = Schema.Struct({
  ...place,
  seqs,
  queues: Schema.Array(Schema.Struct({ queue: Schema.String, counts: Counts })),
}).annotate({ identifier: 'FeedSnapshot', description: 'The counts of queues.' })

const Transition = Schema.Struct({
  from: Schema.Literals(['New', ...stateNames]),
  to: Schema.Literals(stateNames),
  count: Schema.Finite,
}).annotate({
  description: 'Number of messages that went from one state to another, once per subscription',
})

const Changes = Schema.Struct({
  ...place,
  seqs,
  queues: Schema.Array(
    Schema.Struct({
      queue: Schema.String,
      transitions: Schema.Array(Transition),
      change: Schema.Record(Schema.String, Schema.Finite).annotate({
        description: 'To add to the counts; counts that are absent did not change',
      }),
      ended: optional(Schema.Literal(true)).annotate({ description: 'The queue is gone' }),
    }),
  ),
}).annotate({ identifier: 'FeedChanges', description: 'What changed since the event before.' })

const Heartbeat = Schema.Struct(place).annotate({
  identifier: 'FeedHeartbeat',
  description: 'A heartbeat while nothing changes.',
})

const event = <Kind extends string, Data extends Schema.Top>(kind: Kind, data: Data) =>
  Schema.Struct({
    event: Schema.Literal(kind),
    id: Schema.String.annotate({ description: '`position` of the data' }),
    data: Schema.fromJsonString(data),
  })

/** An event of the feed as sent. */
export const FeedEvent = Schema.Union([
  event('snapshot', Snapshot),
  event('changes', Changes),
  event('heartbeat', Heartbeat),
])

const asked = {
  query: {
    from: optional(Schema.String.annotate({ description: '`position` to resume from; the header wins' })),
  },
  headers: {
    'last-event-id': optional(
      Schema.String.annotate({
        description: 'The last event received, which browsers send by themselves',
      }),
    ),
  },
  success: HttpApiSchema.StreamSse({ events: FeedEvent }),
  error,
}

const says = (on: 'queue' | 'some', summary: string) =>
  OpenApi.annotations({
    summary,
    description: `${summary} Begins with a snapshot, or with what changed since the given position; at most ten events per second. ${roleText('viewer', on)}`,
    transform: withoutFailureEvent,
  })

/** The stream never reports a failure: it ends, and the reader reconnects with its last position. */
const withoutFailureEvent = (operation: Record<string, unknown>): Record<string, unknown> => {
  const { responses } = operation as unknown as {
    readonly responses: Record<string, { readonly content: Record<string, Record<string, unknown>> }>
  }
  delete responses['200']!.content['text/event-stream']!['x-effect-stream']
  return operation
}

/** Live counts. */
export const feed = HttpApiGroup.make('feed')
  .add(
    HttpApiEndpoint.get('feed', '/feed', asked)
      .annotate(RequiredRole, 'viewer')
      .annotate(RequiredOn, 'some')
      .annotateMerge(says('some', 'Counts of all queues and their changes, as server-sent events.')),
    HttpApiEndpoint.get('queueFeed', '/queues/:queue/feed', { params: { queue: Schema.String }, ...asked })
      .annotate(RequiredRole, 'viewer')
      .annotate(RequiredOn, 'queue')
      .annotateMerge(says('queue', 'The same of one queue.')),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Feed', description: 'Live counts.' }))
