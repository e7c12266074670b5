import { toDoorError } from '@kiroku/doors'
import { KirokuError, nearest } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as SchemaAST from 'effect/SchemaAST'
import type { Top } from 'effect/http-api/HttpApiEndpoint'
import * as HttpServerRequest from 'effect/http/HttpServerRequest'

/** Refuses a parameter that an endpoint does not have and would otherwise ignore. Errors: `InvalidArgument`. */
export const knownParameters = Effect.fnUntraced(function* ({ query }: Top) {
  const given = Object.keys(yield* HttpServerRequest.ParsedSearchParams)
  if (given.length === 0) return
  const known = query !== undefined && SchemaAST.isObjects(query.ast) ? namesOf(query.ast) : []
  const unknown = given.find((name) => !known.includes(name))
  if (unknown !== undefined)
    yield* Effect.fail(toDoorError(new KirokuError('InvalidArgument', told(unknown, known))))
})

const namesOf = ({ propertySignatures }: SchemaAST.Objects): readonly string[] =>
  propertySignatures.map(({ name }) => String(name))

const told = (name: string, known: readonly string[]): string => {
  if (known.length === 0) return `there is no parameter "${name}" here, nor any other`
  const meant = nearest(name, known)
  return `there is no parameter "${name}" here${meant === undefined ? `; there are ${known.join(', ')}` : `. Did you mean "${meant}"?`}`
}
