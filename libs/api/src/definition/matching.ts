import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { forRole } from './forRole.ts'
import { errorSchemas as error } from './apiError.ts'

const optional = Schema.optionalKey
const count = Schema.Finite

/** The messages to act on, and where to continue. */
export const MatchingRequest = Schema.Struct({
  where: Schema.String.annotate({ description: 'The filter, like `state:waiting queue:payments`' }),
  dryRun: optional(Schema.Boolean.annotate({ description: 'Only count what would be done' })),
  cursor: optional(
    Schema.String.annotate({ description: '`cursor` of the previous answer, to continue from' }),
  ),
}).annotate({ identifier: 'MatchingRequest' })

const SettledPiece = Schema.Struct({
  matched: count.annotate({ description: 'Messages of this batch that match' }),
  done: count.annotate({ description: 'How many of them it was done to, or would be' }),
  stayed: Schema.Record(Schema.String, count).annotate({
    description: 'The others, by reason: their state, or `changed` if they changed since the index saw them',
  }),
  cursor: optional(
    Schema.String.annotate({ description: 'Cursor of the next batch; absent: this was the last' }),
  ),
}).annotate({ identifier: 'SettledPiece' })

/** Operations on all messages that match a filter, a batch at a time. */
export const matching = HttpApiGroup.make('matching')
  .add(
    HttpApiEndpoint.post('recallMatching', '/matching/recall', {
      payload: MatchingRequest,
      success: SettledPiece,
      error,
    }).annotateMerge(
      forRole('operator', 'some', 'Cancels the messages that match a filter and are not due yet.'),
    ),
    HttpApiEndpoint.post('discardMatching', '/matching/discard', {
      payload: MatchingRequest,
      success: SettledPiece,
      error,
    }).annotateMerge(
      forRole(
        'operator',
        'some',
        'Discards the messages that match a filter, except those in flight; they go to no dead-letter queue.',
      ),
    ),
  )
  .annotateMerge(
    OpenApi.annotations({
      title: 'Matching',
      description:
        'Operates on all messages that match a filter, up to 500 per request: repeat with `cursor` until there is none.',
    }),
  )
