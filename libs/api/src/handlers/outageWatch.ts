import { mayBeDone, toDoorError } from '@kiroku/doors'
import * as Context from 'effect/Context'
import * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { RequiredRole } from '../definition/Access.ts'
import { OutageWatch, TellsOutage } from '../definition/OutageWatch.ts'

/** How long an answer may take before it is asked whether NATS is away, and how often that is asked, in ms. */
const patienceMs = 1_200
const askAgainMs = 500

/**
 * Waits for an answer, but not for a NATS that is away. A partition that only moves is waited for. What is interrupted is
 * a question, or an act that may still take effect and says so.
 */
export const outageWatchLayer = ({ outage }: Pick<ApiDependencies, 'outage'>): Layer.Layer<OutageWatch> =>
  Layer.succeed(OutageWatch, (httpEffect, { endpoint }) => {
    const annotations = endpoint.annotations as Context.Context<never>
    if (Context.get(annotations, TellsOutage)) return httpEffect
    const isQuestion = Context.get(annotations, RequiredRole) === 'viewer'
    const watch = Effect.gen(function* () {
      yield* Effect.sleep(patienceMs)
      for (;;) {
        const error = yield* Effect.promise(outage)
        if (error !== undefined) return yield* Effect.fail(toDoorError(isQuestion ? error : mayBeDone(error)))
        yield* Effect.sleep(askAgainMs)
      }
    })
    return Effect.raceFirst(httpEffect, watch)
  })
