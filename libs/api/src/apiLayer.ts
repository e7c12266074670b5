import type { DoorAccess, InFlight, OperationTimes, Refusals } from '@kiroku/doors'
import * as Layer from 'effect/Layer'
import * as HttpApiBuilder from 'effect/http-api/HttpApiBuilder'
import type { ApiDependencies } from './ApiDependencies.ts'
import type { ConsolePages } from './console/ConsolePages.ts'
import { Api } from './definition/Api.ts'
import { accessLayer, failuresLayer } from './handlers/access.ts'
import { bodyRoom } from './handlers/bodyRoom.ts'
import { clusterHandlers } from './handlers/cluster.ts'
import { feedHandlers } from './handlers/feed.ts'
import { lookingBackHandlers } from './handlers/lookingBack.ts'
import { matchingHandlers } from './handlers/matching.ts'
import { messageHandlers, type OnReveal } from './handlers/messages.ts'
import { outageWatchLayer } from './handlers/outageWatch.ts'
import { queueHandlers } from './handlers/queues.ts'
import { redriveHandlers } from './handlers/redrives.ts'
import { searchingHandlers } from './handlers/searching.ts'
import { sessionHandlers } from './handlers/session.ts'
import { subscriptionHandlers } from './handlers/subscriptions.ts'

/** What the endpoints of the API go by. */
interface Endpoints extends Pick<DoorAccess, 'tokens' | 'onDefect'> {
  /** Largest request body, in bytes. */
  readonly bodyBytesMax: number
  readonly console: ConsolePages | undefined
  readonly onReveal: OnReveal
  readonly times: OperationTimes
  readonly refusals: Refusals
  readonly inFlight: InFlight
  /** Aborted when the door closes: receives that wait and feeds end. */
  readonly closing: AbortSignal
}

/** The endpoints of the API's definition: who may call, what answers, and how failures are reported. */
export const apiLayer = (dependencies: ApiDependencies, endpoints: Endpoints) => {
  const { tokens, onDefect, bodyBytesMax, console, onReveal, times, refusals, inFlight, closing } = endpoints
  return HttpApiBuilder.layer(Api, { openapiPath: '/openapi.json' }).pipe(
    Layer.provide([
      queueHandlers(dependencies, onDefect),
      subscriptionHandlers(dependencies),
      redriveHandlers(dependencies),
      messageHandlers(dependencies, times, closing, onReveal),
      lookingBackHandlers(dependencies),
      searchingHandlers(dependencies),
      matchingHandlers(dependencies),
      feedHandlers(dependencies, closing),
      clusterHandlers(dependencies),
      sessionHandlers(dependencies, tokens, console),
    ]),
    Layer.provide([
      outageWatchLayer(dependencies),
      accessLayer(
        { tokens, refusals },
        { bodyBytesMax, inFlight, bodyRoom: bodyRoom(dependencies) },
        console?.isReadOnly === true,
      ),
      failuresLayer(onDefect),
    ]),
  )
}
