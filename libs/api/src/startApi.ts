import {
  checkBind,
  httpLimitsDefault,
  httpUrl,
  InFlight,
  limitedServer,
  OperationTimes,
  Refusals,
  Tokens,
  type Address,
  type Certificate,
  type DoorAccess,
  type HttpLimits,
  type OpenDoor,
} from '@kiroku/doors'
import * as Layer from 'effect/Layer'
import * as HttpRouter from 'effect/http/HttpRouter'
import type { ApiDependencies } from './ApiDependencies.ts'
import { apiLayer } from './apiLayer.ts'
import type { ConsolePages } from './console/ConsolePages.ts'
import { consoleAnswers } from './console/answerConsole.ts'
import { docsPage } from './docsPage.ts'
import type { OnReveal } from './handlers/messages.ts'
import { limitRequests } from './limitRequests.ts'
import { everyAnswer, plainRoutes } from './plainRoutes.ts'
import { singleSends } from './sends/singleSends.ts'
import { serveRoutes } from './serveRoutes.ts'

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
    docsPage,
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
  const { bodyBytesMax, certificate } = options
  const server = limitedServer(limits, () => inFlight.dropped(), certificate)
  const app = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true })
  const served = await serveRoutes(app, server, {
    ...options,
    ahead: (other) => singleSends(dependencies, { tokens, onDefect, times, inFlight, bodyBytesMax }, other),
  })
  return {
    url: httpUrl({ host: options.host, port: served.port }, certificate !== undefined),
    close: () => {
      closing.abort()
      return served.close()
    },
  }
}
