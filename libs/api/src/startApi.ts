import * as NodeHttpServer from '@effect/platform-node/NodeHttpServer'
import {
  checkBind,
  httpLimitsDefault,
  httpUrl,
  InFlight,
  limitedServer,
  listenError,
  OperationTimes,
  Refusals,
  Tokens,
  type Address,
  type Certificate,
  type DoorAccess,
  type HttpLimits,
  type OpenDoor,
} from '@kiroku/doors'
import * as Cause from 'effect/Cause'
import * as Context from 'effect/Context'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Layer from 'effect/Layer'
import * as Scope from 'effect/Scope'
import * as HttpApiSwagger from 'effect/http-api/HttpApiSwagger'
import * as HttpRouter from 'effect/http/HttpRouter'
import * as HttpServer from 'effect/http/HttpServer'
import type { ApiDependencies } from './ApiDependencies.ts'
import { apiLayer } from './apiLayer.ts'
import type { ConsolePages } from './console/ConsolePages.ts'
import { consoleAnswers } from './console/answerConsole.ts'
import { Api } from './definition/Api.ts'
import type { OnReveal } from './handlers/messages.ts'
import { limitRequests } from './limitRequests.ts'
import { everyAnswer, plainRoutes } from './plainRoutes.ts'

/** Where and how the API is served. */
export interface ApiOptions
  extends Address, Partial<Pick<DoorAccess, 'tokens' | 'drainMs' | 'onDefect' | 'onRefused'>> {
  /** Largest request body, in bytes. */
  readonly bodyBytesMax: number
  readonly limits?: HttpLimits
  /** Speaks TLS; absent: plain HTTP. */
  readonly certificate?: Certificate
  /** The console to serve at `/`; absent: none. */
  readonly console?: ConsolePages
  /** Called when a hidden body is revealed. */
  readonly onReveal?: OnReveal
}

/**
 * Serves the HTTP API, its OpenAPI page (`/docs`, `/openapi.json`), `/metrics`, `/health/*` and the console.
 * Errors: `TokenRequired`, `PortInUse`, `InvalidArgument` (an address that cannot be bound).
 */
export const startApi = async (dependencies: ApiDependencies, options: ApiOptions): Promise<OpenDoor> => {
  const tokens = options.tokens ?? new Tokens()
  checkBind(options.host, tokens)
  const onDefect = options.onDefect ?? (() => {})
  const times = new OperationTimes()
  const refusals = new Refusals(options.onRefused ?? (() => {}))
  const limits = options.limits ?? httpLimitsDefault
  const inFlight = new InFlight(limits)
  const closing = new AbortController()
  const routes = Layer.mergeAll(
    apiLayer(dependencies, {
      tokens,
      onDefect,
      bodyBytesMax: options.bodyBytesMax,
      console: options.console,
      onReveal: options.onReveal ?? (() => {}),
      times,
      refusals,
      inFlight,
      closing: closing.signal,
    }),
    HttpApiSwagger.layer(Api, { path: '/docs' }),
    plainRoutes(dependencies, {
      times,
      refusals,
      inFlight,
      tokens,
      answerConsole: options.console && consoleAnswers(options.console),
    }),
    limitRequests(inFlight),
    everyAnswer(onDefect),
  )
  const server = HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
  }).pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(() => limitedServer(limits, () => inFlight.dropped(), options.certificate), {
        host: options.host,
        port: options.port,
        gracefulShutdownTimeout: options.drainMs ?? 5_000,
      }),
    ),
  )
  const scope = await Effect.runPromise(Scope.make())
  const exit = await Effect.runPromiseExit(Layer.buildWithScope(server, scope))
  if (Exit.isFailure(exit)) throw listenError(Cause.squash(exit.cause), options)
  const { address } = Context.get(exit.value, HttpServer.HttpServer)
  const port = 'port' in address ? address.port : options.port
  return {
    url: httpUrl({ host: options.host, port }, options.certificate !== undefined),
    close: () => {
      closing.abort()
      return Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}
