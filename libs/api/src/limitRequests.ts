import { errorHeaders, statusOf, toDoorError, type InFlight } from '@kiroku/doors'
import * as NodeHttpServerRequest from '@effect/platform-node/NodeHttpServerRequest'
import * as Effect from 'effect/Effect'
import * as HttpRouter from 'effect/http/HttpRouter'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'

/**
 * Counts each request until its answer has left, and refuses those beyond the limits before anything is done for them. Health
 * is always answered: a supervisor must not restart an engine for being busy.
 */
export const limitRequests = (inFlight: InFlight) =>
  HttpRouter.middleware(
    (response) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (request.url.startsWith('/health/')) return yield* response
        const source = NodeHttpServerRequest.toIncomingMessage(request)
        try {
          inFlight.enter(source.socket, source)
        } catch (refused) {
          const error = toDoorError(refused)
          return yield* HttpServerResponse.json(error, {
            status: statusOf(error.id),
            headers: { ...errorHeaders(error), connection: 'close' },
          })
        }
        NodeHttpServerRequest.toServerResponse(request).once('close', () => inFlight.leave(source))
        return yield* response
      }),
    { global: true },
  )
