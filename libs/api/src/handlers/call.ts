import { isForCaller, toDoorError, type DoorError } from '@kiroku/doors'
import * as Effect from 'effect/Effect'

/**
 * Runs a promise of ours as a handler's effect: our errors become the API's; those that no caller can help and all
 * others are defects. An interruption aborts the signal.
 */
export const call = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, DoorError> =>
  Effect.tryPromise({ try: run, catch: (error) => error }).pipe(
    Effect.catch((error) => (isForCaller(error) ? Effect.fail(toDoorError(error)) : Effect.die(error))),
  )

/** Passes what is JSON by construction, like events and descriptions, through a schema of JSON. */
export const asJson = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue

/** What JSON can say, as the definition names it. */
export type JsonValue = null | number | boolean | string | JsonValue[] | { [key: string]: JsonValue }
