import { toDoorError } from '@kiroku/doors'
import { instead, KirokuError } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import type { Top } from 'effect/http-api/HttpApiEndpoint'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'
import { namesOf } from './schemaProblem.ts'

/** Refuses a parameter that an endpoint does not have and would otherwise ignore. Errors: `InvalidArgument`. */
export const knownParameters = Effect.fnUntraced(function* ({ query }: Top) {
  const given = Object.keys(yield* HttpServerRequest.ParsedSearchParams)
  if (given.length === 0) return
  const known = query === undefined ? [] : namesOf(query.ast)
  const unknown = given.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const told = `there is no parameter "${unknown}" here${instead(unknown, known)}`
  yield* Effect.fail(toDoorError(new KirokuError('InvalidArgument', told)))
})
