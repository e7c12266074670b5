import { toDoorError, type DoorError, type OnDefect } from '@kiroku/doors'
import { isKirokuError, KirokuError } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as HttpApiError from 'effect/http-api/HttpApiError'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'

/** Reports an unexpected failure, and returns the answer to it. Only a `KirokuError` reveals what it is. */
export const reportDefect = Effect.fnUntraced(function* (error: unknown, onDefect: OnDefect) {
  const { method, url } = yield* HttpServerRequest.HttpServerRequest
  const defect = HttpApiError.HttpApiSchemaError.is(error) ? misfit('the answer', error.cause) : error
  return defectOf(defect, onDefect, `${method} ${url}`)
})

/** The same of a request that is known by its method and address. */
export const defectOf = (error: unknown, onDefect: OnDefect, request: string): DoorError => {
  onDefect(error, request)
  return toDoorError(
    isKirokuError(error)
      ? error
      : new KirokuError('Internal', 'the request failed unexpectedly; the log of the engine says why'),
  )
}

/** An answer that its schema refuses; the cause names the field. */
export const misfit = (what: string, cause: Error): Error =>
  new Error(`${what} does not fit its schema: ${cause.message.replace(/\s+/g, ' ')}`, { cause })
