import type { OnDefect } from '@kiroku/doors'
import type { QueueSurvey } from '@kiroku/client'
import { errorRegistry, type QueueDescription } from '@kiroku/protocol'
import * as Cause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Schema from 'effect/Schema'
import { MissingPartition, Queue } from '../definition/schemas.ts'
import { misfit, reportDefect } from '../reportDefect.ts'
import { inPieces, jsonAnswer } from './inPieces.ts'

const encodeQueue = Schema.encodeUnknownExit(Queue)
const encodeMissing = Schema.encodeUnknownSync(Schema.Array(MissingPartition))

/**
 * The list of queues as JSON. One that does not fit its schema is left out, listed as missing and logged, so
 * that it hides no other.
 */
export const answerQueues = Effect.fnUntraced(function* (survey: QueueSurvey, onDefect: OnDefect) {
  const unfit: { readonly queue: QueueDescription; readonly cause: Error }[] = []
  const queues = yield* Effect.promise(() =>
    inPieces(survey.queues, (queue) => {
      const encoded = encodeQueue(queue)
      if (Exit.isSuccess(encoded)) return JSON.stringify(encoded.value)
      unfit.push({ queue, cause: Cause.squash(encoded.cause) as Error })
      return undefined
    }),
  )
  const missing: (typeof MissingPartition.Type)[] = [...survey.missing]
  for (const { queue, cause } of unfit) {
    const { name, partition } = queue
    yield* reportDefect(misfit(`queue "${name}"`, cause), onDefect)
    const message = `queue "${name}" cannot be shown; the log of the engine says why`
    missing.push({
      partition,
      queue: name,
      problem: { id: 'Internal', message, help: errorRegistry.Internal.help },
    })
  }
  return jsonAnswer('{"queues":[', queues, `],"missing":${JSON.stringify(encodeMissing(missing))}}`)
})
