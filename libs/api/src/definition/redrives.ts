import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { errorSchemas as error } from './apiError.ts'
import { deadLettersQuery } from '../questions/deadLetters.ts'
import { DeadLetterGroups } from './deadLetterSchemas.ts'
import { CancelRedriveRequest, EditRequest, Redrive, RedriveRequest } from './redriveSchemas.ts'
import { forRole } from './forRole.ts'

const params = { queue: Schema.String }

/** Dead letters and redrives. */
export const redrives = HttpApiGroup.make('redrives')
  .add(
    HttpApiEndpoint.get('listDeadLetters', '/queues/:queue/dead-letters', {
      params,
      query: deadLettersQuery,
      success: DeadLetterGroups,
      error,
    }).annotateMerge(
      forRole(
        'viewer',
        'queue',
        'The messages in a queue and why they got there: by cause and kind of error, with samples.',
      ),
    ),
    HttpApiEndpoint.post('startRedrive', '/queues/:queue/redrives', {
      params,
      payload: RedriveRequest,
      success: Redrive,
      error,
    }).annotateMerge(
      forRole(
        'operator',
        'queue',
        'Starts moving messages back to where they came from, or to another queue.',
      ),
    ),
    HttpApiEndpoint.post('editBody', '/messages/:id/body', {
      params: { id: Schema.String },
      payload: EditRequest,
      success: Schema.Struct({ queue: Schema.String, number: Schema.Finite, isEdited: Schema.Boolean }),
      error,
    }).annotateMerge(
      forRole(
        'operator',
        'some',
        'Replaces the body of a message in a queue; a redrive keeps the new one. What was sent stays on record.',
      ),
    ),
    HttpApiEndpoint.get('listRedrives', '/queues/:queue/redrives', {
      params,
      success: Schema.Struct({ redrives: Schema.Array(Redrive) }),
      error,
    }).annotateMerge(
      forRole('viewer', 'queue', 'Running redrives and the last ones that ended, newest first.'),
    ),
    HttpApiEndpoint.post('cancelRedrive', '/queues/:queue/redrives/cancel', {
      params,
      payload: CancelRedriveRequest,
      success: Redrive,
      error,
    }).annotateMerge(forRole('operator', 'queue', 'Ends a redrive; what was moved stays moved.')),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Redrives', description: 'Redrives of dead letters.' }))
