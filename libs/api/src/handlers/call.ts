import { errorRegistry, isKirokuError } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import { toApiError, type ApiError } from '../definition/apiError.ts'

/**
 * Runs a promise of ours as a handler's effect: our errors become the API's; those that no caller can help and all
 * others are defects. An interruption aborts the signal.
 */
export const call = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, ApiError> =>
  Effect.tryPromise({ try: run, catch: (error) => error }).pipe(
    Effect.catch((error) =>
      isKirokuError(error) && errorRegistry[error.id].http !== 500
        ? Effect.fail(toApiError(error))
        : Effect.die(error),
    ),
  )

/** Passes what is JSON by construction, like events and descriptions, through a schema of JSON. */
export const asJson = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue

/** What JSON can say, as the definition names it. */
export type JsonValue = null | number | boolean | string | JsonValue[] | { [key: string]: JsonValue }
