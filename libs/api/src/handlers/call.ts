import { isForCaller, toDoorError, type DoorError } from '@kiroku/doors'
import * as Effect from 'effect/Effect'
import * as Option from 'effect/Option'
import type * as Schema from 'effect/Schema'
import { CallerGranted } from '../definition/Access.ts'
import { errorWithoutOthers } from '../granted/errorWithoutOthers.ts'

/**
 * Runs a promise as a handler's effect: errors of Kiroku become the API's; those that no caller can fix and
 * all others are defects. They name no queue that the caller may not know of. An interruption aborts the signal.
 */
export const call = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, DoorError> =>
  Effect.tryPromise({ try: run, catch: (error) => error }).pipe(
    Effect.catch((error) => (isForCaller(error) ? Effect.fail(toDoorError(error)) : Effect.die(error))),
    Effect.catch((error) =>
      Effect.flatMap(Effect.serviceOption(CallerGranted), (granted) =>
        Effect.fail(Option.isSome(granted) ? errorWithoutOthers(error, granted.value) : error),
      ),
    ),
  )

/** An answer as JSON, without what JSON cannot hold, like `undefined`. */
export const asJson = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A

/** Data whose only type is JSON, like a lineage. */
export const toJson = (value: unknown): Schema.Json => JSON.parse(JSON.stringify(value)) as Schema.Json
