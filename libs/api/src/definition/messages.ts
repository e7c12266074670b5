import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as HttpApiSchema from 'effect/http-api/HttpApiSchema'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { MessagesLevel } from './Access.ts'
import { TraceAnswer } from './answers.ts'
import { errorSchemas as error } from './apiError.ts'
import {
  DeadLetterRequest,
  ExtendRequest,
  OutgoingBatch,
  OutgoingMessage,
  ReceivedMessage,
  ReceiveRequest,
  Receipts,
  RescheduleRequest,
  ReleaseRequest,
  RetryRequest,
  SettleResults,
} from './schemas.ts'
import { MessageBody } from './bodySchemas.ts'
import { forRole } from './forRole.ts'
import { TellsOutage } from './OutageWatch.ts'

const params = { queue: Schema.String }

/** Sending, receiving, settling. */
export const messages = HttpApiGroup.make('messages')
  .add(
    HttpApiEndpoint.post('send', '/queues/:queue/messages', {
      params,
      payload: OutgoingMessage,
      success: Schema.Struct({ messageId: Schema.String }),
      error,
    })
      .annotateMerge(forRole('operator', 'queue', 'Stores one message.'))
      .annotate(TellsOutage, true)
      .annotate(MessagesLevel, 1),
    HttpApiEndpoint.post('sendBatch', '/queues/:queue/messages/batch', {
      params,
      payload: OutgoingBatch,
      success: Schema.Struct({ messageIds: Schema.Array(Schema.String) }),
      error,
    })
      .annotateMerge(forRole('operator', 'queue', 'Stores several messages in order.'))
      .annotate(TellsOutage, true)
      .annotate(MessagesLevel, 3),
    HttpApiEndpoint.post('receive', '/queues/:queue/receive', {
      params,
      payload: ReceiveRequest,
      success: Schema.Struct({ messages: Schema.Array(ReceivedMessage) }),
      error,
    }).annotateMerge(
      forRole(
        'operator',
        'queue',
        'Receives messages under a lease; an empty list when none arrives within the wait.',
      ),
    ),
    HttpApiEndpoint.post('ack', '/messages/ack', {
      payload: Receipts,
      success: SettleResults,
      error,
    }).annotateMerge(forRole('operator', 'some', 'Acknowledges deliveries.')),
    HttpApiEndpoint.post('retry', '/messages/retry', {
      payload: RetryRequest,
      success: SettleResults,
      error,
    }).annotateMerge(forRole('operator', 'some', 'Gives messages back for another attempt.')),
    HttpApiEndpoint.post('extend', '/messages/extend', {
      payload: ExtendRequest,
      success: SettleResults,
      error,
    }).annotateMerge(forRole('operator', 'some', 'Extends or shortens leases.')),
    HttpApiEndpoint.post('release', '/messages/release', {
      payload: ReleaseRequest,
      success: SettleResults,
      error,
    }).annotateMerge(
      forRole(
        'operator',
        'some',
        'Gives messages back, at once or after a delay, without counting the attempt.',
      ),
    ),
    HttpApiEndpoint.post('deadLetter', '/messages/dead-letter', {
      payload: DeadLetterRequest,
      success: SettleResults,
      error,
    }).annotateMerge(forRole('operator', 'some', 'Moves messages to the dead-letter queue, on purpose.')),
    HttpApiEndpoint.post('recall', '/messages/:id/recall', {
      params: { id: Schema.String },
      success: HttpApiSchema.NoContent,
      error,
    }).annotateMerge(forRole('operator', 'some', 'Cancels a message that is not due yet.')),
    HttpApiEndpoint.post('reschedule', '/messages/:id/reschedule', {
      params: { id: Schema.String },
      payload: RescheduleRequest,
      success: HttpApiSchema.NoContent,
      error,
    }).annotateMerge(forRole('operator', 'some', 'Reschedules a message that is not due yet.')),
    HttpApiEndpoint.get('trace', '/messages/:id/trace', {
      params: { id: Schema.String },
      success: TraceAnswer,
      error,
    }).annotateMerge(
      forRole('viewer', 'some', 'Every event of one message along its lineage, live or long gone.'),
    ),
    HttpApiEndpoint.get('body', '/messages/:id/body', {
      params: { id: Schema.String },
      query: {
        reveal: Schema.optionalKey(
          Schema.Literal('1').annotate({
            description:
              'Also show the body in a queue that hides bodies; needs the role operator, and is logged',
          }),
        ),
        full: Schema.optionalKey(
          Schema.Literal('1').annotate({ description: 'Answer the body itself, as a file download' }),
        ),
      },
      success: MessageBody,
      error,
    }).annotateMerge(
      forRole('viewer', 'some', 'What a message carries: its body, up to 256 KiB of it, and its attributes.'),
    ),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Messages', description: 'Sending, receiving, settling.' }))
