import type { OnDefect } from '@kiroku/doors'
import type { QueueSurvey } from '@kiroku/client'
import { errorRegistry } from '@kiroku/protocol'
import * as Cause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Schema from 'effect/Schema'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import { Queue, QueueList } from '../definition/schemas.ts'
import { misfit, reportDefect } from '../reportDefect.ts'

const encodeList = Schema.encodeUnknownExit(QueueList)
const encodeQueue = Schema.encodeUnknownExit(Queue)

/**
 * The list of queues as JSON. One that does not fit its schema is left out, listed as missing and logged, so
 * that it hides no other.
 */
export const answerQueues = Effect.fnUntraced(function* (survey: QueueSurvey, onDefect: OnDefect) {
  const whole = encodeList(survey)
  if (Exit.isSuccess(whole)) return HttpServerResponse.jsonUnsafe(whole.value)
  const queues: unknown[] = []
  const missing: unknown[] = [...survey.missing]
  for (const queue of survey.queues) {
    const { name, partition } = queue
    const encoded = encodeQueue(queue)
    if (Exit.isSuccess(encoded)) {
      queues.push(encoded.value)
      continue
    }
    yield* reportDefect(misfit(`queue "${name}"`, Cause.squash(encoded.cause) as Error), onDefect)
    const message = `queue "${name}" cannot be shown; the log of the engine says why`
    missing.push({
      partition,
      queue: name,
      problem: { id: 'Internal', message, help: errorRegistry.Internal.help },
    })
  }
  return HttpServerResponse.jsonUnsafe({ queues, missing })
})
