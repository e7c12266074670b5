import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as OpenApi from 'effect/http-api/OpenApi'
import { ClusterAnswer } from './answers.ts'
import { errorSchemas as error } from './apiError.ts'
import { ClockRequest, ClockSteps } from './clockSchemas.ts'
import { forRole } from './forRole.ts'

/** Nodes and partitions. */
export const cluster = HttpApiGroup.make('cluster')
  .add(
    HttpApiEndpoint.get('clusterStatus', '/cluster', { success: ClusterAnswer, error }).annotateMerge(
      forRole('viewer', 'Who owns which partition, and how the log stands.'),
    ),
    HttpApiEndpoint.post('confirmClock', '/cluster/clock', {
      payload: ClockRequest,
      success: ClockSteps,
      error,
    }).annotateMerge(
      forRole(
        'admin',
        "Says which clock is right, that of NATS or that of the owner's node, where they disagree: partition time moves on to what it shows, never back.",
      ),
    ),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Cluster' }))
