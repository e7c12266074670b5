import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as HttpApiSchema from 'effect/http-api/HttpApiSchema'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { queryText } from '../questions/QueryText.ts'
import { errorSchemas as error } from './apiError.ts'
import { Groups } from './groupSchema.ts'
import { Queue, QueueList, QueueSettings } from './schemas.ts'
import { forRole } from './forRole.ts'

/** Most names on a page. */
export const queueNamesMax = 1_000

const params = { queue: Schema.String }

/** Administration of queues. */
export const queues = HttpApiGroup.make('queues')
  .add(
    HttpApiEndpoint.get('listQueues', '/queues', {
      success: QueueList,
      error,
    }).annotateMerge(
      forRole('viewer', 'some', 'All queues of the log; closed partitions are listed with their problem.'),
    ),
    HttpApiEndpoint.get('listQueueNames', '/queue-names', {
      query: {
        prefix: queryText('Only names that begin with this'),
        after: queryText('Only names behind this one: the last of the page before'),
        limit: queryText(`Most names, from 1 to ${queueNamesMax}; default ${queueNamesMax}`),
      },
      success: Schema.Struct({
        names: Schema.Array(Schema.String),
        isMore: Schema.Boolean.annotate({ description: 'Whether names follow behind the last of these' }),
      }),
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'some',
        'Names of queues in order, a page at a time; those of closed partitions are left out.',
      ),
    ),
    HttpApiEndpoint.post('createQueue', '/queues', {
      payload: Schema.Struct({ name: Schema.String, settings: Schema.optionalKey(QueueSettings) }),
      success: Schema.Struct({ name: Schema.String, created: Schema.Boolean }),
      error,
    }).annotateMerge(forRole('admin', 'some', 'Creates a queue; one with the same settings is left alone.')),
    HttpApiEndpoint.get('describeQueue', '/queues/:queue', { params, success: Queue, error }).annotateMerge(
      forRole('viewer', 'queue', 'A queue: settings and counts.'),
    ),
    HttpApiEndpoint.get('describeGroups', '/queues/:queue/groups', {
      params,
      query: {
        subscription: queryText('Default: main'),
        limit: queryText('Most groups to name, from 1 on; default 100'),
      },
      success: Groups,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'queue',
        'Message groups of a subscription: blocked ones first, then by the number of waiting messages.',
      ),
    ),
    HttpApiEndpoint.patch('updateQueue', '/queues/:queue', {
      params,
      payload: QueueSettings,
      success: Queue,
      error,
    }).annotateMerge(
      forRole('admin', 'queue', 'Changes the given settings and notes and leaves the others.'),
    ),
    HttpApiEndpoint.post('spreadQueue', '/queues/:queue/spread', {
      params,
      payload: Schema.Struct({
        partitions: Schema.Finite.annotate({ description: 'How many, including the queue’s own' }),
      }),
      success: Queue,
      error,
    }).annotateMerge(
      forRole(
        'admin',
        'queue',
        'Spreads the queue over this many partitions; removed parts end when they are empty.',
      ),
    ),
    HttpApiEndpoint.delete('deleteQueue', '/queues/:queue', {
      params,
      query: {
        force: Schema.optionalKey(
          Schema.Literals(['true', 'false']).annotate({
            description:
              'true: also while other queues name it as their dead-letter queue; their dead letters then wait until a queue of this name exists again',
          }),
        ),
      },
      success: HttpApiSchema.NoContent,
      error,
    }).annotateMerge(
      forRole(
        'admin',
        'queue',
        'Deletes a queue and everything in it; refused while others name it as their dead-letter queue, unless forced.',
      ),
    ),
    HttpApiEndpoint.post('purgeQueue', '/queues/:queue/purge', {
      params,
      success: Schema.Struct({ purged: Schema.Finite }),
      error,
    }).annotateMerge(forRole('admin', 'queue', 'Discards every message that is not final.')),
    HttpApiEndpoint.post('erase', '/queues/:queue/erase', {
      params,
      payload: Schema.Struct({
        messageId: Schema.optionalKey(Schema.String),
        group: Schema.optionalKey(Schema.String),
        reason: Schema.String.annotate({ description: 'Why, for the record' }),
      }),
      success: Schema.Struct({ discarded: Schema.Finite }),
      error,
    }).annotateMerge(
      forRole(
        'admin',
        'queue',
        'Deletes the key of one message, or of all messages of a group so far, which makes them unreadable. Answers when the keys are gone.',
      ),
    ),
    HttpApiEndpoint.post('pauseQueue', '/queues/:queue/pause', {
      params,
      success: HttpApiSchema.NoContent,
      error,
    }).annotateMerge(forRole('admin', 'queue', 'Stops deliveries; sends continue.')),
    HttpApiEndpoint.post('resumeQueue', '/queues/:queue/resume', {
      params,
      success: HttpApiSchema.NoContent,
      error,
    }).annotateMerge(forRole('admin', 'queue', 'Resumes deliveries.')),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Queues', description: 'Administration of queues.' }))
