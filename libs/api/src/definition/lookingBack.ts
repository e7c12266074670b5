import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as HttpApiSchema from 'effect/http-api/HttpApiSchema'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { forRole } from './forRole.ts'
import { BatchCostsAnswer, DiffAnswer, LogMomentAnswer, QueueMomentAnswer, SpanAnswer } from './answers.ts'
import { errorSchemas as error } from './apiError.ts'

const params = { queue: Schema.String }
const optional = Schema.optionalKey

/** A moment as people write it. */
export const moment = (what: string) =>
  Schema.String.annotate({
    description: `${what}: a sequence (1234, 3/1234), a time (2026-11-21T14:02:31Z, 14:02:31), or so long ago (5m)`,
  })
const limit = optional(Schema.String.annotate({ description: 'Most messages to name; default 100' }))

/** Queues as they were. */
export const lookingBack = HttpApiGroup.make('lookingBack')
  .add(
    HttpApiEndpoint.get('logAt', '/state', {
      query: { at: optional(moment('The moment; default now')) },
      success: LogMomentAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'All queues as they stood at a moment: counts and settings; and how far each partition was. Partitions that cannot be read are in `missing`, with their `problem`.',
      ),
    ),
    HttpApiEndpoint.get('span', '/span', {
      query: {
        queue: optional(Schema.String.annotate({ description: 'Of this queue: also where it lives' })),
      },
      success: SpanAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'How far one can look back: times and sequences of the first known state and of the last frame.',
      ),
    ),
    HttpApiEndpoint.get('recording', '/queues/:queue/recording', {
      params,
      query: {
        from: optional(moment('The moment; default now')),
        partition: optional(Schema.String.annotate({ description: "Default: the queue's home" })),
        frames: optional(
          Schema.String.annotate({
            description: 'Most frames beyond the moment, up to 10000; default 1000',
          }),
        ),
        work: optional(
          Schema.String.annotate({
            description: 'Most changes in these, up to 1000000; default 50000',
          }),
        ),
        state: optional(
          Schema.String.annotate({
            description:
              '1: with the state a little before the moment, to begin a replay; otherwise frames behind the moment only',
          }),
        ),
      },
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'A stretch of the record of one partition without any bodies, in binary, for a replay elsewhere with the code of the engine.',
      ),
    ),
    HttpApiEndpoint.get('stateAt', '/queues/:queue/state', {
      params,
      query: {
        at: optional(moment('The moment; default now')),
        states: optional(
          Schema.String.annotate({ description: 'Name messages in these states only, with commas between' }),
        ),
        subscription: optional(Schema.String),
        where: optional(
          Schema.String.annotate({
            description:
              'Name messages that pass this filter only; of a moment state, queue, subscription, attempt, group, partition, number and sent are known',
          }),
        ),
        limit,
        after: optional(Schema.String.annotate({ description: '`next` of the page before' })),
      },
      success: QueueMomentAnswer,
      error,
    }).annotateMerge(
      forRole('viewer', 'A queue as it stood at a moment: counts, settings, and its messages by pages.'),
    ),
    HttpApiEndpoint.get('batches', '/queues/:queue/batches', {
      params,
      query: {
        subscription: optional(
          Schema.String.annotate({ description: 'This subscription only; default all' }),
        ),
      },
      success: BatchCostsAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'What batch size and wait cost: deliveries on record, and the arrivals of the last 10 minutes (at most 10,000 records of its partition) replayed with the settings in force and with those next to them, as if a receive were always waiting.',
      ),
    ),
    HttpApiEndpoint.get('diff', '/queues/:queue/diff', {
      params,
      query: { a: moment('The earlier moment'), b: optional(moment('The later one; default now')), limit },
      success: DiffAnswer,
      error,
    }).annotateMerge(
      forRole('viewer', 'What became another in a queue between two moments: counts, settings and messages.'),
    ),
  )
  .annotateMerge(
    OpenApi.annotations({ title: 'Looking back', description: 'Queues at moments of the past.' }),
  )
