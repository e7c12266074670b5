import { isForCaller, toDoorError, type DoorError } from '@kiroku/doors'
import * as Effect from 'effect/Effect'
import type * as Schema from 'effect/Schema'

/**
 * Runs a promise of ours as a handler's effect: our errors become the API's; those that no caller can help and all
 * others are defects. An interruption aborts the signal.
 */
export const call = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, DoorError> =>
  Effect.tryPromise({ try: run, catch: (error) => error }).pipe(
    Effect.catch((error) => (isForCaller(error) ? Effect.fail(toDoorError(error)) : Effect.die(error))),
  )

/** An answer as JSON has it, without what JSON cannot say, like `undefined`. */
export const asJson = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A

/** What has no type but JSON's, like a lineage. */
export const toJson = (value: unknown): Schema.Json => JSON.parse(JSON.stringify(value)) as Schema.Json
