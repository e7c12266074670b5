import type { Role } from '@kiroku/doors'
import * as Schema from 'effect/Schema'
import * as HttpApi from 'effect/http-api/HttpApi'
import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as HttpApiSchema from 'effect/http-api/HttpApiSchema'
import * as OpenApi from 'effect/http-api/OpenApi'
import { Access, Failures, RequiredRole } from './Access.ts'
import { errorSchemas } from './apiError.ts'
import { MessageBody } from './bodySchemas.ts'
import { ClockRequest, ClockSteps } from './clockSchemas.ts'
import { DeadLetterGroups } from './deadLetterSchemas.ts'
import { feed } from './feed.ts'
import { lookingBack, moment } from './lookingBack.ts'
import { matching } from './matching.ts'
import { CancelRedriveRequest, EditRequest, Redrive, RedriveRequest } from './redriveSchemas.ts'
import {
  DeadLetterRequest,
  ExtendRequest,
  Groups,
  OutgoingBatch,
  OutgoingMessage,
  Queue,
  QueueList,
  QueueSettings,
  ReceivedMessage,
  ReceiveRequest,
  Receipts,
  RescheduleRequest,
  ReleaseRequest,
  RetryRequest,
  SettleResults,
  StartPosition,
  SubscriptionSettings,
} from './schemas.ts'
import { searching } from './searching.ts'
import { session } from './session.ts'

const error = errorSchemas
const params = { queue: Schema.String }

const says = (role: Role, summary: string) =>
  OpenApi.annotations({ summary, description: `${summary} Role: ${role}.` })

const queues = HttpApiGroup.make('queues')
  .add(
    HttpApiEndpoint.get('listQueues', '/queues', {
      success: QueueList,
      error,
    })
      .annotate(RequiredRole, 'viewer')
      .annotateMerge(
        says('viewer', 'All queues of the log; partitions that are closed are named with their problem.'),
      ),
    HttpApiEndpoint.post('createQueue', '/queues', {
      payload: Schema.Struct({ name: Schema.String, settings: Schema.optionalKey(QueueSettings) }),
      success: Schema.Struct({ name: Schema.String, created: Schema.Boolean }),
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Creates a queue; one with the same settings is left alone.')),
    HttpApiEndpoint.get('describeQueue', '/queues/:queue', { params, success: Queue, error })
      .annotate(RequiredRole, 'viewer')
      .annotateMerge(says('viewer', 'A queue: settings and counts.')),
    HttpApiEndpoint.get('describeGroups', '/queues/:queue/groups', {
      params,
      query: {
        subscription: Schema.optionalKey(Schema.String.annotate({ description: 'Default: main' })),
        limit: Schema.optionalKey(
          Schema.String.annotate({ description: 'Most groups to name; default 100' }),
        ),
      },
      success: Groups,
      error,
    })
      .annotate(RequiredRole, 'viewer')
      .annotateMerge(
        says('viewer', 'Message groups of a subscription: those that are held up first, then by what waits.'),
      ),
    HttpApiEndpoint.patch('updateQueue', '/queues/:queue', {
      params,
      payload: QueueSettings,
      success: Queue,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Changes the given settings and leaves the others.')),
    HttpApiEndpoint.post('spreadQueue', '/queues/:queue/spread', {
      params,
      payload: Schema.Struct({
        partitions: Schema.Finite.annotate({ description: 'How many, the queue’s own among them' }),
      }),
      success: Queue,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(
        says(
          'admin',
          'Lets the queue lie on so many partitions; those that are taken away end when they are empty.',
        ),
      ),
    HttpApiEndpoint.delete('deleteQueue', '/queues/:queue', {
      params,
      query: {
        force: Schema.optionalKey(
          Schema.Literals(['true', 'false']).annotate({
            description:
              'true: also while other queues name it as their dead-letter queue; what would go there waits until a queue of its name is there again',
          }),
        ),
      },
      success: HttpApiSchema.NoContent,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(
        says(
          'admin',
          'Deletes a queue and everything in it; refused while others name it as their dead-letter queue, unless forced.',
        ),
      ),
    HttpApiEndpoint.post('purgeQueue', '/queues/:queue/purge', {
      params,
      success: Schema.Struct({ purged: Schema.Finite }),
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Discards every message that is not final.')),
    HttpApiEndpoint.post('erase', '/queues/:queue/erase', {
      params,
      payload: Schema.Struct({
        messageId: Schema.optionalKey(Schema.String),
        group: Schema.optionalKey(Schema.String),
        reason: Schema.String.annotate({ description: 'Why, for the record' }),
      }),
      success: Schema.Struct({ discarded: Schema.Finite }),
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(
        says(
          'admin',
          'Deletes the key of one message, or of all messages of a group so far: nobody can read them any more. Answers when the keys are gone.',
        ),
      ),
    HttpApiEndpoint.post('pauseQueue', '/queues/:queue/pause', {
      params,
      success: HttpApiSchema.NoContent,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Stops deliveries; sends go on.')),
    HttpApiEndpoint.post('resumeQueue', '/queues/:queue/resume', {
      params,
      success: HttpApiSchema.NoContent,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Starts deliveries again.')),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Queues', description: 'Administration of queues.' }))

const ofSubscription = { queue: Schema.String, subscription: Schema.String }

const subscriptions = HttpApiGroup.make('subscriptions')
  .add(
    HttpApiEndpoint.post('createSubscription', '/queues/:queue/subscriptions', {
      params,
      payload: Schema.Struct({
        name: Schema.String,
        settings: Schema.optionalKey(SubscriptionSettings),
        start: Schema.optionalKey(StartPosition),
      }),
      success: Schema.Struct({ name: Schema.String, created: Schema.Boolean }),
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Creates a subscription; one with the same settings is left alone.')),
    HttpApiEndpoint.patch('updateSubscription', '/queues/:queue/subscriptions/:subscription', {
      params: ofSubscription,
      payload: SubscriptionSettings,
      success: HttpApiSchema.NoContent,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Changes the given settings and leaves the others.')),
    HttpApiEndpoint.delete('deleteSubscription', '/queues/:queue/subscriptions/:subscription', {
      params: ofSubscription,
      success: HttpApiSchema.NoContent,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Deletes a subscription; the others stay as they are.')),
    HttpApiEndpoint.post('resetSubscription', '/queues/:queue/subscriptions/:subscription/reset', {
      params: ofSubscription,
      payload: Schema.Struct({ start: Schema.optionalKey(StartPosition) }),
      success: HttpApiSchema.NoContent,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Begins anew; receipts of deliveries before name nothing any more.')),
    HttpApiEndpoint.post('pauseSubscription', '/queues/:queue/subscriptions/:subscription/pause', {
      params: ofSubscription,
      success: HttpApiSchema.NoContent,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Stops deliveries to this subscription.')),
    HttpApiEndpoint.post('resumeSubscription', '/queues/:queue/subscriptions/:subscription/resume', {
      params: ofSubscription,
      success: HttpApiSchema.NoContent,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(says('admin', 'Starts its deliveries again.')),
  )
  .annotateMerge(
    OpenApi.annotations({
      title: 'Subscriptions',
      description: 'Consumer groups over one queue; `GET /queues/:queue` shows them.',
    }),
  )

const redrives = HttpApiGroup.make('redrives')
  .add(
    HttpApiEndpoint.get('listDeadLetters', '/queues/:queue/dead-letters', {
      params,
      query: {
        subscription: Schema.optionalKey(Schema.String),
        at: Schema.optionalKey(moment('As it was then; default as it is')),
      },
      success: DeadLetterGroups,
      error,
    })
      .annotate(RequiredRole, 'viewer')
      .annotateMerge(
        says(
          'viewer',
          'What lies in a queue and why it came there: by cause and kind of error, with samples.',
        ),
      ),
    HttpApiEndpoint.post('startRedrive', '/queues/:queue/redrives', {
      params,
      payload: RedriveRequest,
      success: Redrive,
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(
        says('operator', 'Begins to move messages to where they came from, or to another queue.'),
      ),
    HttpApiEndpoint.post('editBody', '/messages/:id/body', {
      params: { id: Schema.String },
      payload: EditRequest,
      success: Schema.Struct({ queue: Schema.String, number: Schema.Finite, isEdited: Schema.Boolean }),
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(
        says(
          'operator',
          'Gives a message that lies in a queue another body, which it keeps when it is redriven; what was sent stays on record.',
        ),
      ),
    HttpApiEndpoint.get('listRedrives', '/queues/:queue/redrives', {
      params,
      success: Schema.Struct({ redrives: Schema.Array(Redrive) }),
      error,
    })
      .annotate(RequiredRole, 'viewer')
      .annotateMerge(says('viewer', 'Redrives that run and the last ones that ended, the youngest first.')),
    HttpApiEndpoint.post('cancelRedrive', '/queues/:queue/redrives/cancel', {
      params,
      payload: CancelRedriveRequest,
      success: Redrive,
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(says('operator', 'Ends a redrive; what was moved stays moved.')),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Redrives', description: 'Dead letters on their way back.' }))

const messages = HttpApiGroup.make('messages')
  .add(
    HttpApiEndpoint.post('send', '/queues/:queue/messages', {
      params,
      payload: OutgoingMessage,
      success: Schema.Struct({ messageId: Schema.String }),
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(says('operator', 'Stores one message.')),
    HttpApiEndpoint.post('sendBatch', '/queues/:queue/messages/batch', {
      params,
      payload: OutgoingBatch,
      success: Schema.Struct({ messageIds: Schema.Array(Schema.String) }),
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(says('operator', 'Stores several messages in order.')),
    HttpApiEndpoint.post('receive', '/queues/:queue/receive', {
      params,
      payload: ReceiveRequest,
      success: Schema.Struct({ messages: Schema.Array(ReceivedMessage) }),
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(
        says('operator', 'Takes messages under a lease; none when there is none within the wait.'),
      ),
    HttpApiEndpoint.post('ack', '/messages/ack', { payload: Receipts, success: SettleResults, error })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(says('operator', 'Acknowledges deliveries.')),
    HttpApiEndpoint.post('retry', '/messages/retry', { payload: RetryRequest, success: SettleResults, error })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(says('operator', 'Gives messages back for another attempt.')),
    HttpApiEndpoint.post('extend', '/messages/extend', {
      payload: ExtendRequest,
      success: SettleResults,
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(says('operator', 'Moves the end of leases.')),
    HttpApiEndpoint.post('release', '/messages/release', {
      payload: ReleaseRequest,
      success: SettleResults,
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(says('operator', 'Gives messages back, at once or after a delay, and the attempt too.')),
    HttpApiEndpoint.post('deadLetter', '/messages/dead-letter', {
      payload: DeadLetterRequest,
      success: SettleResults,
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(says('operator', 'Moves messages to the dead-letter queue, on purpose.')),
    HttpApiEndpoint.post('recall', '/messages/:id/recall', {
      params: { id: Schema.String },
      success: HttpApiSchema.NoContent,
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(says('operator', 'Cancels a message that is not due yet.')),
    HttpApiEndpoint.post('reschedule', '/messages/:id/reschedule', {
      params: { id: Schema.String },
      payload: RescheduleRequest,
      success: HttpApiSchema.NoContent,
      error,
    })
      .annotate(RequiredRole, 'operator')
      .annotateMerge(says('operator', 'Gives a message that is not due yet another time.')),
    HttpApiEndpoint.get('trace', '/messages/:id/trace', {
      params: { id: Schema.String },
      success: Schema.Json,
      error,
    })
      .annotate(RequiredRole, 'viewer')
      .annotateMerge(says('viewer', 'Every event of one message along its lineage, live or long gone.')),
    HttpApiEndpoint.get('body', '/messages/:id/body', {
      params: { id: Schema.String },
      query: {
        reveal: Schema.optionalKey(
          Schema.Literal('1').annotate({
            description: 'Also of a queue that hides bodies; then it needs the role operator, and is logged',
          }),
        ),
        full: Schema.optionalKey(
          Schema.Literal('1').annotate({ description: 'Answers the body itself, as a file to be saved' }),
        ),
      },
      success: MessageBody,
      error,
    })
      .annotate(RequiredRole, 'viewer')
      .annotateMerge(
        says('viewer', 'What a message carries: its body, up to 256 KiB of it, and what travels beside it.'),
      ),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Messages', description: 'Sending, receiving, settling.' }))

const cluster = HttpApiGroup.make('cluster')
  .add(
    HttpApiEndpoint.get('clusterStatus', '/cluster', { success: Schema.Json, error })
      .annotate(RequiredRole, 'viewer')
      .annotateMerge(says('viewer', 'Who owns which partition, and how the log stands.')),
    HttpApiEndpoint.post('confirmClock', '/cluster/clock', {
      payload: ClockRequest,
      success: ClockSteps,
      error,
    })
      .annotate(RequiredRole, 'admin')
      .annotateMerge(
        says(
          'admin',
          "Says which clock is right, that of NATS or that of the owner's node, where they disagree: partition time moves on to what it shows, never back.",
        ),
      ),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Cluster' }))

/** The native HTTP API: the one definition behind the server, its OpenAPI page and `docs/openapi.json`. */
export const Api = HttpApi.make('kiroku')
  .add(queues, subscriptions, redrives, messages, lookingBack, searching, matching, feed, cluster, session)
  .middleware(Access)
  .middleware(Failures)
  .prefix('/v1')
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: 'error' })
  .annotateMerge(
    OpenApi.annotations({
      title: 'Kiroku',
      version: '1',
      description:
        'Durable message queues over NATS JetStream. Errors are JSON `{id, message, help, retryable}` with stable ids.',
      license: { name: 'Apache-2.0' },
    }),
  )
