import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as HttpApiSchema from 'effect/http-api/HttpApiSchema'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { diffQuery, logQuery, recordingQuery, stateQuery } from '../questions/lookingBack.ts'
import { queryText } from '../questions/QueryText.ts'
import { forRole } from './forRole.ts'
import { BatchCostsAnswer, DiffAnswer, LogMomentAnswer, QueueMomentAnswer, SpanAnswer } from './answers.ts'
import { errorSchemas as error } from './apiError.ts'

const params = { queue: Schema.String }

/** Queues as they were. */
export const lookingBack = HttpApiGroup.make('lookingBack')
  .add(
    HttpApiEndpoint.get('logAt', '/state', {
      query: logQuery,
      success: LogMomentAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'some',
        'All queues at a moment: counts and settings; and the position of each partition. Partitions that cannot be read are in `missing`, with their `problem`.',
      ),
    ),
    HttpApiEndpoint.get('span', '/span', {
      query: { queue: queryText('For this queue; also returns its partition') },
      success: SpanAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'some',
        'How far back the past can be read: times and sequences of the first known state and of the last frame.',
      ),
    ),
    HttpApiEndpoint.get('recording', '/queues/:queue/recording', {
      params,
      query: recordingQuery,
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'all',
        "A range of one partition's record without bodies, in binary, for a replay elsewhere with the engine's code.",
      ),
    ),
    HttpApiEndpoint.get('stateAt', '/queues/:queue/state', {
      params,
      query: stateQuery,
      success: QueueMomentAnswer,
      error,
    }).annotateMerge(
      forRole('viewer', 'queue', 'A queue at a moment: counts, settings, and its messages in pages.'),
    ),
    HttpApiEndpoint.get('batches', '/queues/:queue/batches', {
      params,
      query: { subscription: queryText('Only this subscription; default: all') },
      success: BatchCostsAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'queue',
        'What batch size and wait cost: deliveries on record, and the arrivals of the last 10 minutes (at most 10,000 records of its partition) replayed with the settings in force and with neighbouring ones, as if a receive were always waiting.',
      ),
    ),
    HttpApiEndpoint.get('diff', '/queues/:queue/diff', {
      params,
      query: diffQuery,
      success: DiffAnswer,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'queue',
        'What changed in a queue between two moments: counts, settings and messages.',
      ),
    ),
  )
  .annotateMerge(
    OpenApi.annotations({ title: 'Looking back', description: 'Queues at moments of the past.' }),
  )
