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

/** Dead letters and where they go. */
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
        'What lies in a queue and why it came there: by cause and kind of error, with samples.',
      ),
    ),
    HttpApiEndpoint.post('startRedrive', '/queues/:queue/redrives', {
      params,
      payload: RedriveRequest,
      success: Redrive,
      error,
    }).annotateMerge(
      forRole('operator', 'Begins to move messages to where they came from, or to another queue.'),
    ),
    HttpApiEndpoint.post('editBody', '/messages/:id/body', {
      params: { id: Schema.String },
      payload: EditRequest,
      success: Schema.Struct({ queue: Schema.String, number: Schema.Finite, isEdited: Schema.Boolean }),
      error,
    }).annotateMerge(
      forRole(
        'operator',
        'Gives a message that lies in a queue another body, which it keeps when it is redriven; what was sent stays on record.',
      ),
    ),
    HttpApiEndpoint.get('listRedrives', '/queues/:queue/redrives', {
      params,
      success: Schema.Struct({ redrives: Schema.Array(Redrive) }),
      error,
    }).annotateMerge(
      forRole('viewer', 'Redrives that run and the last ones that ended, the youngest first.'),
    ),
    HttpApiEndpoint.post('cancelRedrive', '/queues/:queue/redrives/cancel', {
      params,
      payload: CancelRedriveRequest,
      success: Redrive,
      error,
    }).annotateMerge(forRole('operator', 'Ends a redrive; what was moved stays moved.')),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Redrives', description: 'Dead letters on their way back.' }))
