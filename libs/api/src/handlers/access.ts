import {
  actorOf,
  identify,
  isFromPage,
  type Need,
  roleFor,
  toDoorError,
  type DoorError,
  type OnDefect,
  type Refusals,
  type Tokens,
} from '@kiroku/doors'
import { KirokuError } from '@kiroku/protocol'
import * as Cause from 'effect/Cause'
import * as Context from 'effect/Context'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import * as Option from 'effect/Option'
import * as Redacted from 'effect/Redacted'
import type { unhandled } from 'effect/Types'
import type { Top } from 'effect/http-api/HttpApiEndpoint'
import * as HttpApiError from 'effect/http-api/HttpApiError'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'
import type { HttpServerResponse } from 'effect/http/HttpServerResponse'
import * as HttpRouter from 'effect/http/HttpRouter'
import {
  Access,
  Caller,
  CallerGranted,
  CallerRole,
  Failures,
  MessagesLevel,
  RequiredOn,
  RequiredRole,
} from '../definition/Access.ts'
import { Granted } from '../granted/Granted.ts'
import { reportDefect } from '../reportDefect.ts'
import { boundJson, type JsonBounds } from './boundJson.ts'
import { knownParameters } from './knownParameters.ts'
import { schemaProblem } from './schemaProblem.ts'

/**
 * Checks tokens, and names the caller for the record. Without tokens everyone on loopback is `local`.
 * Read-only pages are refused whatever a viewer may not do, with any token.
 */
export const accessLayer = (guard: Guard, bounds: JsonBounds, pagesOnlyLook: boolean): Layer.Layer<Access> =>
  Layer.succeed(Access, {
    bearer: Effect.fnUntraced(function* (
      httpEffect: Effect.Effect<HttpServerResponse, unhandled, Caller | CallerRole | CallerGranted>,
      { credential, endpoint }: { readonly credential: Redacted.Redacted<string>; readonly endpoint: Top },
    ) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const annotations = endpoint.annotations as Context.Context<never>
      const needs = Context.get(annotations, RequiredRole)
      const presented = Redacted.value(credential)
      const isReadOnly = pagesOnlyLook && needs !== 'viewer' && isFromPage(request.headers)
      const on = Context.get(annotations, RequiredOn)
      const need = { role: needs, on: on === 'queue' ? { queue: (yield* HttpRouter.params)['queue']! } : on }
      const { identity, role } = yield* admitCaller(guard, presented, need, isReadOnly)
      const reason = request.headers['x-kiroku-reason']
      yield* knownParameters(endpoint)
      yield* boundJson(request, bounds, Context.get(annotations, MessagesLevel))
      return yield* Effect.provide(
        httpEffect,
        Context.make(Caller, actorOf(identity, originOf(request), reason)).pipe(
          Context.add(CallerRole, role),
          Context.add(CallerGranted, new Granted(identity)),
        ),
      )
    }),
  })

/** What decides who is admitted. */
export interface Guard {
  readonly tokens: Tokens
  readonly refusals: Refusals
}

/** Admits the caller of a request, with the role that they have there. Counts who is refused, and slows down the answers to guesses. */
export const admitCaller = Effect.fnUntraced(function* (
  { tokens, refusals }: Guard,
  presented: string,
  need: Need,
  isReadOnly = false,
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  try {
    if (isReadOnly) throw new KirokuError('Forbidden', 'the console is read-only here')
    const found = identify(tokens, { presented, headers: request.headers })
    const identity = found instanceof Promise ? unwrap(yield* settled(found)) : found
    return { identity, role: roleFor(identity, need) }
  } catch (error) {
    const waitMs = refusals.refused(error, originOf(request), performance.now())
    if (waitMs > 0) yield* Effect.sleep(waitMs)
    return yield* Effect.fail(toDoorError(error))
  }
})

/** What becomes of a promise, so that `try` catches it here. */
const settled = <A>(promise: Promise<A>) =>
  Effect.promise(() => Promise.allSettled([promise]).then(([result]) => result))

const unwrap = <A>(result: PromiseSettledResult<A>): A => {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

/** The door and the address of a caller. */
const originOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  `http ${Option.getOrElse(remoteAddress, () => 'unknown')}`

/** Turns malformed requests and defects into errors of Kiroku. */
export const failuresLayer = (onDefect: OnDefect): Layer.Layer<Failures> =>
  Layer.succeed(Failures, (httpEffect) =>
    Effect.catchCause(
      Effect.filterOrFail(
        httpEffect,
        (response) => response.status !== 415,
        () =>
          toDoorError(new KirokuError('InvalidArgument', 'send the body as content-type: application/json')),
      ),
      Effect.fnUntraced(function* (cause) {
        if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
        const error: unknown = Cause.squash(cause)
        const isSchemaError = HttpApiError.HttpApiSchemaError.is(error)
        if (isSchemaError && !isAnswer(error)) return yield* Effect.fail(yield* schemaFailure(error))
        if (!isSchemaError && !Cause.hasDies(cause)) return yield* Effect.failCause(cause)
        return yield* Effect.fail(yield* reportDefect(error, onDefect))
      }),
    ),
  )

/** The server's own answer does not fit. */
const isAnswer = ({ kind }: HttpApiError.HttpApiSchemaError): boolean =>
  kind === 'Body' || kind === 'ResponseHeaders'

const schemaFailure = Effect.fnUntraced(function* (
  error: HttpApiError.HttpApiSchemaError,
): Effect.fn.Return<DoorError, never, HttpServerRequest.HttpServerRequest> {
  const malformed = error.kind === 'Payload' ? yield* jsonProblem : undefined
  return toDoorError(
    malformed === undefined
      ? new KirokuError('InvalidArgument', schemaProblem(error.cause.issue))
      : new KirokuError('MalformedJson', `the request's body is not JSON: ${malformed}`),
  )
})

/** Why the request's text is not JSON; undefined when it is. */
const jsonProblem = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const text = yield* Effect.orDie(request.text)
  try {
    JSON.parse(text === '' ? 'null' : text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
})
