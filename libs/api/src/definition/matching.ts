import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { forRole } from './forRole.ts'
import { errorSchemas as error } from './apiError.ts'

const optional = Schema.optionalKey
const count = Schema.Finite

/** What is done to, and where to go on. */
export const MatchingRequest = Schema.Struct({
  where: Schema.String.annotate({ description: 'The filter, like `state:waiting queue:payments`' }),
  dryRun: optional(Schema.Boolean.annotate({ description: 'Only counts what could be done' })),
  cursor: optional(Schema.String.annotate({ description: '`cursor` of an answer: go on where that ended' })),
}).annotate({ identifier: 'MatchingRequest' })

const SettledPiece = Schema.Struct({
  matched: count.annotate({ description: 'Messages of this piece that match' }),
  done: count.annotate({ description: 'How many of them it was done to, or could be' }),
  stayed: Schema.Record(Schema.String, count).annotate({
    description:
      'The others, by why: the state that they are in, or `changed` where they moved on since the index saw them',
  }),
  cursor: optional(Schema.String.annotate({ description: 'Where to go on; absent: that was all' })),
}).annotate({ identifier: 'SettledPiece' })

/** What is done to all messages that a filter matches, a piece at a time. */
export const matching = HttpApiGroup.make('matching')
  .add(
    HttpApiEndpoint.post('recallMatching', '/matching/recall', {
      payload: MatchingRequest,
      success: SettledPiece,
      error,
    }).annotateMerge(
      forRole('operator', 'Cancels the messages that a filter matches and that are not due yet.'),
    ),
    HttpApiEndpoint.post('discardMatching', '/matching/discard', {
      payload: MatchingRequest,
      success: SettledPiece,
      error,
    }).annotateMerge(
      forRole(
        'operator',
        'Ends the messages that a filter matches for good, but for those in flight; they go to no dead-letter queue.',
      ),
    ),
  )
  .annotateMerge(
    OpenApi.annotations({
      title: 'Matching',
      description:
        'Acts on all messages that a filter matches, up to 500 in a request: go on with `cursor` until there is none.',
    }),
  )
