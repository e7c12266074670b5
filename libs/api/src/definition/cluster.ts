import * as HttpApiEndpoint from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiGroup from 'effect/http-api/HttpApiGroup'
import * as OpenApi from 'effect/http-api/OpenApi'
import { ClusterAnswer } from './clusterAnswer.ts'
import { errorSchemas as error } from './apiError.ts'
import { ClockRequest, ClockSteps } from './clockSchemas.ts'
import { FinalizedAnswer, FinalizeRequest } from './finalizeSchemas.ts'
import { forRole } from './forRole.ts'
import { TellsOutage } from './OutageWatch.ts'

/** Nodes and partitions. */
export const cluster = HttpApiGroup.make('cluster')
  .add(
    HttpApiEndpoint.get('clusterStatus', '/cluster', { success: ClusterAnswer, error })
      .annotateMerge(forRole('viewer', 'all', 'The owner of each partition, and the state of the log.'))
      .annotate(TellsOutage, true),
    HttpApiEndpoint.post('finalizeCluster', '/cluster/finalize', {
      payload: FinalizeRequest,
      success: FinalizedAnswer,
      error,
    }).annotateMerge(
      forRole(
        'admin',
        'all',
        'Puts the feature level of the nodes in force, so that they may record what the previous version cannot read. It cannot be undone, and is refused while a live node does not read it.',
      ),
    ),
    HttpApiEndpoint.post('confirmClock', '/cluster/clock', {
      payload: ClockRequest,
      success: ClockSteps,
      error,
    }).annotateMerge(
      forRole(
        'admin',
        'all',
        "Decides which clock is right, that of NATS or that of the owner's node, when they disagree: partition time advances to it, never back.",
      ),
    ),
  )
  .annotateMerge(OpenApi.annotations({ title: 'Cluster' }))
