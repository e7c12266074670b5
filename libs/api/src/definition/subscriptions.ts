import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as HttpApiSchema from 'effect/http-api/HttpApiSchema'
import * as OpenApi from 'effect/http-api/OpenApi'
import * as Schema from 'effect/Schema'
import { errorSchemas as error } from './apiError.ts'
import { StartPosition, SubscriptionSettings } from './schemas.ts'
import { forRole } from './forRole.ts'

const params = { queue: Schema.String }
const ofSubscription = { queue: Schema.String, subscription: Schema.String }

/** Consumer groups over one queue. */
export const subscriptions = HttpApiGroup.make('subscriptions')
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
    }).annotateMerge(
      forRole('admin', 'queue', 'Creates a subscription; one with the same settings is left alone.'),
    ),
    HttpApiEndpoint.patch('updateSubscription', '/queues/:queue/subscriptions/:subscription', {
      params: ofSubscription,
      payload: SubscriptionSettings,
      success: HttpApiSchema.NoContent,
      error,
    }).annotateMerge(forRole('admin', 'queue', 'Changes the given settings and leaves the others.')),
    HttpApiEndpoint.delete('deleteSubscription', '/queues/:queue/subscriptions/:subscription', {
      params: ofSubscription,
      success: HttpApiSchema.NoContent,
      error,
    }).annotateMerge(forRole('admin', 'queue', 'Deletes a subscription; the others are not affected.')),
    HttpApiEndpoint.post('resetSubscription', '/queues/:queue/subscriptions/:subscription/reset', {
      params: ofSubscription,
      payload: Schema.Struct({ start: Schema.optionalKey(StartPosition) }),
      success: HttpApiSchema.NoContent,
      error,
    }).annotateMerge(
      forRole('admin', 'queue', 'Starts a new generation; receipts of earlier deliveries become invalid.'),
    ),
    HttpApiEndpoint.post('pauseSubscription', '/queues/:queue/subscriptions/:subscription/pause', {
      params: ofSubscription,
      success: HttpApiSchema.NoContent,
      error,
    }).annotateMerge(forRole('admin', 'queue', 'Stops deliveries to this subscription.')),
    HttpApiEndpoint.post('resumeSubscription', '/queues/:queue/subscriptions/:subscription/resume', {
      params: ofSubscription,
      success: HttpApiSchema.NoContent,
      error,
    }).annotateMerge(forRole('admin', 'queue', 'Resumes its deliveries.')),
  )
  .annotateMerge(
    OpenApi.annotations({
      title: 'Subscriptions',
      description: 'Consumer groups over one queue; `GET /queues/:queue` shows them.',
    }),
  )
