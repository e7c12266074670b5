import { errorHeaders, idsByStatus, type DoorError } from '@kiroku/doors'
import { errorRegistry } from '@kiroku/protocol'
import * as Schema from 'effect/Schema'
import * as HttpApiSchema from 'effect/http-api/HttpApiSchema'

/** One schema per status of the error registry; every endpoint may answer any of them. */
export const errorSchemas = idsByStatus.map(([status, ids]): Schema.Codec<DoorError, unknown> => {
  const body = Schema.Struct({
    id: Schema.Literals(ids),
    message: Schema.String,
    help: Schema.String,
    retryable: Schema.Boolean,
    retryAfterMs: Schema.optionalKey(Schema.Finite),
  })
    .annotate({ identifier: `Error${status}`, description: 'What happened, and what to do.' })
    .pipe(HttpApiSchema.status(status))
  if (!ids.some((id) => errorRegistry[id].retryable)) return body
  return body.pipe(
    HttpApiSchema.encodeToWithHeaders(
      {
        body,
        headers: {
          'retry-after': Schema.optionalKey(
            Schema.String.annotate({ description: 'Whole seconds to wait, if the engine says so' }),
          ),
        },
      },
      {
        decode: ({ body: error }) => error,
        encode: (error) => ({ body: error, headers: errorHeaders(error) }),
      },
    ),
  )
})
