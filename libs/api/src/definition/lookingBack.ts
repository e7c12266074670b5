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
        'All queues as they stood at a moment: counts and settings; and how far each partition was. Partitions that cannot be read are in `missing`, with their `problem`.',
      ),
    ),
    HttpApiEndpoint.get('span', '/span', {
      query: { queue: queryText('Of this queue: also where it lives') },
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
      query: recordingQuery,
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
      query: stateQuery,
      success: QueueMomentAnswer,
      error,
    }).annotateMerge(
      forRole('viewer', 'A queue as it stood at a moment: counts, settings, and its messages by pages.'),
    ),
    HttpApiEndpoint.get('batches', '/queues/:queue/batches', {
      params,
      query: { subscription: queryText('This subscription only; default all') },
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
      query: diffQuery,
      success: DiffAnswer,
      error,
    }).annotateMerge(
      forRole('viewer', 'What became another in a queue between two moments: counts, settings and messages.'),
    ),
  )
  .annotateMerge(
    OpenApi.annotations({ title: 'Looking back', description: 'Queues at moments of the past.' }),
  )
