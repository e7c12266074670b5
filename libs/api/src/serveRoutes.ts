import type { RequestListener, Server } from 'node:http'
import * as NodeHttpServer from '@effect/platform-node/NodeHttpServer'
import { listenError, type Address } from '@kiroku/doors'
import * as Cause from 'effect/Cause'
import * as Context from 'effect/Context'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Layer from 'effect/Layer'
import * as Scope from 'effect/Scope'
import * as HttpServer from 'effect/http/HttpServer'

/** Where routes are served, and what goes ahead of them. */
interface Serving extends Address {
  /** How long requests may still take when it closes, in ms; default: 5 s. */
  readonly drainMs?: number
  /** Answers what it does not leave to the routes. */
  readonly ahead: (routes: RequestListener) => RequestListener
}

/** Serves routes until it is closed. Errors: `PortInUse`, `InvalidArgument` (an address that cannot be bound). */
export const serveRoutes = async (
  routes: Layer.Layer<never, never, Layer.Success<ReturnType<typeof NodeHttpServer.layer>>>,
  server: Server,
  { host, port, drainMs = 5_000, ahead }: Serving,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> => {
  const layer = routes.pipe(
    Layer.provideMerge(NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout: drainMs })),
  )
  const scope = await Effect.runPromise(Scope.make())
  const exit = await Effect.runPromiseExit(Layer.buildWithScope(layer, scope))
  if (Exit.isFailure(exit)) throw listenError(Cause.squash(exit.cause), { host, port })
  const stepBack = putAhead(server, ahead)
  const { address } = Context.get(exit.value, HttpServer.HttpServer)
  return {
    port: 'port' in address ? address.port : port,
    close: () => {
      stepBack()
      return Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

/** Puts `ahead` in front of the listener that a server has. Returns what removes it again: the routes end their own listener. */
const putAhead = (server: Server, ahead: (routes: RequestListener) => RequestListener): (() => void) => {
  const [routes] = server.listeners('request') as [RequestListener]
  const first = ahead(routes)
  server.off('request', routes).on('request', first)
  return () => void server.off('request', first).on('request', routes)
}
