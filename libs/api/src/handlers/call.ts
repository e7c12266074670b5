import { isForCaller, toDoorError, type DoorError } from '@kiroku/doors'
import * as Effect from 'effect/Effect'
import type * as Schema from 'effect/Schema'

/**
 * Runs a promise as a handler's effect: errors of Kiroku become the API's; those that no caller can fix and
 * all others are defects. An interruption aborts the signal.
 */
export const call = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, DoorError> =>
  Effect.tryPromise({ try: run, catch: (error) => error }).pipe(
    Effect.catch((error) => (isForCaller(error) ? Effect.fail(toDoorError(error)) : Effect.die(error))),
  )

/** An answer as JSON, without what JSON cannot hold, like `undefined`. */
export const asJson = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A

/** Data whose only type is JSON, like a lineage. */
export const toJson = (value: unknown): Schema.Json => JSON.parse(JSON.stringify(value)) as Schema.Json
