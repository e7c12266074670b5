import { errorHeaders, statusOf, type InFlight, type OnDefect, type OperationTimes } from '@kiroku/doors'
import * as Cause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import * as HttpRouter from 'effect/http/HttpRouter'
import { causeResponse } from 'effect/http/HttpServerError'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import type { ApiDependencies } from './ApiDependencies.ts'
import { answerPieces } from './answerPieces.ts'
import type { AnswerConsole } from './console/answerConsole.ts'
import { admitCaller, type Guard } from './handlers/access.ts'
import { call } from './handlers/call.ts'
import { Granted } from './granted/Granted.ts'
import { queueMetrics } from './metrics/queueMetrics.ts'
import { withLosses } from './metrics/withLosses.ts'
import { metricsContentType, renderMetrics } from './metrics/renderMetrics.ts'
import { reportDefect } from './reportDefect.ts'

/** What the routes outside the API's definition go by. */
export interface PlainRoutes extends Guard {
  readonly times: OperationTimes
  readonly inFlight: InFlight
  readonly answerConsole: AnswerConsole | undefined
}

/** The routes outside the API's definition: health, metrics, the console, and the answer to unknown paths. */
export const plainRoutes = (dependencies: ApiDependencies, plain: PlainRoutes) =>
  Layer.mergeAll(
    HttpRouter.add('GET', '/health/live', HttpServerResponse.json({ status: 'live' })),
    HttpRouter.add(
      'GET',
      '/health/ready',
      Effect.gen(function* () {
        const reason = yield* Effect.promise(async () => dependencies.notReady())
        return yield* reason === undefined
          ? HttpServerResponse.json(readiness(dependencies.warnings()))
          : HttpServerResponse.json({ status: 'not ready', reason }, { status: 503 })
      }),
    ),
    HttpRouter.add('GET', '/metrics', metrics(dependencies, plain)),
    HttpRouter.add(
      '*',
      '/*',
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const page = yield* Effect.promise(async () => plain.answerConsole?.(request))
        if (page !== undefined) return page
        return yield* HttpServerResponse.json(
          {
            id: 'InvalidArgument',
            message: `${request.method} ${request.url.split('?')[0]} is not part of this API`,
            help: 'GET /docs shows what is.',
            retryable: false,
          },
          { status: 404 },
        )
      }),
    ),
  )

/** Headers that every answer has, unless it says otherwise. */
export const headersOfAll = {
  'content-security-policy': "default-src 'self' 'unsafe-inline' data:; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

/**
 * What holds for every answer. No page may load anything from elsewhere; an answer with a stricter policy
 * keeps it. And no request fails without a line in the log and an error of Kiroku, wherever it failed.
 */
export const everyAnswer = (onDefect: OnDefect) =>
  HttpRouter.middleware(
    (response) =>
      Effect.map(
        Effect.catchCause(response, (cause) => answerFailure(cause, onDefect)),
        (answer) => HttpServerResponse.setHeaders(answer, { ...headersOfAll, ...answer.headers }),
      ),
    { global: true },
  )

const answerFailure = Effect.fnUntraced(function* <E>(cause: Cause.Cause<E>, onDefect: OnDefect) {
  const [meant] = yield* causeResponse(cause)
  if (meant.status !== 500) return yield* Effect.failCause(cause)
  const error = yield* reportDefect(Cause.squash(cause), onDefect)
  return yield* HttpServerResponse.json(error, { status: 500 })
})

/** Serving with a warning counts as serving. */
const readiness = (warnings: readonly string[]) =>
  warnings.length === 0 ? { status: 'ready' } : { status: 'ready', warnings }

/** From memory alone: a node's metrics must not depend on NATS. */
const metrics = ({ about, metrics, owned }: ApiDependencies, { times, inFlight, ...guard }: PlainRoutes) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const presented = request.headers['authorization']?.replace(/^Bearer /, '') ?? ''
    const { identity } = yield* admitCaller(guard, presented, { role: 'viewer', on: 'some' })
    const { isRestricted, sees } = new Granted(identity)
    const pieces = yield* call(async () => {
      const { queues, partitions } = await owned()
      const measured = withLosses(queues, partitions.length === about.partitions)
      // What is of all queues would count those that the caller may not know of.
      if (isRestricted)
        return renderMetrics([
          queueMetrics(
            measured.filter(({ name }) => sees(name)),
            [],
          ),
        ])
      return renderMetrics([
        queueMetrics(measured, partitions),
        [times.family(), guard.refusals.family(), ...inFlight.families(), ...metrics()],
      ])
    })
    return answerPieces(pieces, metricsContentType)
  }).pipe(
    Effect.catch((error) =>
      HttpServerResponse.json(error, {
        status: statusOf(error.id),
        headers: errorHeaders(error),
      }),
    ),
  )
