import { errorRegistry, isKirokuError, KirokuError, type ErrorId } from '@kiroku/protocol'
import * as Schema from 'effect/Schema'
import * as HttpApiSchema from 'effect/http-api/HttpApiSchema'

/** An error as the API answers it; the status follows from the id. */
export interface ApiError {
  readonly id: ErrorId
  readonly message: string
  readonly help: string
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

const idsByStatus = new Map<number, ErrorId[]>()
for (const [id, entry] of Object.entries(errorRegistry)) {
  const ids = idsByStatus.get(entry.http) ?? []
  ids.push(id as ErrorId)
  idsByStatus.set(entry.http, ids)
}

/** Headers of an error: a pause as every HTTP client knows it. */
export const errorHeaders = ({ retryAfterMs }: ApiError): { readonly 'retry-after'?: string } =>
  retryAfterMs === undefined ? {} : { 'retry-after': `${Math.max(1, Math.ceil(retryAfterMs / 1_000))}` }

/** One schema for each status of the error registry; every endpoint may answer any of them. */
export const errorSchemas = [...idsByStatus]
  .sort(([a], [b]) => a - b)
  .map(([status, ids]): Schema.Codec<ApiError, unknown> => {
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
              Schema.String.annotate({ description: 'Whole seconds to wait for, where the engine says so' }),
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

/** The answer for whatever was thrown; what is not ours becomes `Internal`. */
export const toApiError = (cause: unknown): ApiError => {
  const error = isKirokuError(cause)
    ? cause
    : new KirokuError('Internal', cause instanceof Error ? cause.message : String(cause))
  const { id, message, help, retryable, retryAfterMs } = error
  return { id, message, help, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
