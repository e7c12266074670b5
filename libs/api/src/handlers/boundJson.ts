import { jsonLevelsMax, jsonValuesMax, measureJson, toDoorError } from '@kiroku/doors'
import { KirokuError } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as HttpRouter from 'effect/http/HttpRouter'
import type * as HttpServerRequest from 'effect/http/HttpServerRequest'
import { anyRoomCharacters, type BodyRoom } from './bodyRoom.ts'
import { call } from './call.ts'
import { readBody, type BodyLimits } from './readBody.ts'

/** What the JSON of a request may take. */
export interface JsonBounds extends BodyLimits {
  readonly bodyRoom: BodyRoom
}

/**
 * Reads the body of a request, and refuses JSON that would take too much to parse before it is parsed: a handler's stack and the
 * engine's loop are everybody's. Errors: `BodyTooLarge` (for all, or for the queue), `InvalidArgument`, `Busy`, `UnknownQueue`.
 *
 * @param messagesLevel where messages begin; 0: there are none
 */
export const boundJson = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  bounds: JsonBounds,
  messagesLevel: number,
) {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const text = yield* readBody(request, bounds)
  if (text.length <= jsonLevelsMax) return
  const { levels, values, longest } = measureJson(text, messagesLevel)
  if (levels > jsonLevelsMax)
    return yield* refuse('InvalidArgument', `the JSON goes deeper than ${jsonLevelsMax} levels`)
  if (values > jsonValuesMax)
    return yield* refuse(
      'InvalidArgument',
      `the JSON has more than ${jsonValuesMax} values; send such a body as text or base64`,
    )
  if (messagesLevel === 0 || longest <= anyRoomCharacters) return
  const queue = (yield* HttpRouter.params)['queue']!
  const room = yield* call(() => bounds.bodyRoom(queue))
  if (longest > room)
    return yield* refuse(
      'BodyTooLarge',
      `a message of ${longest} characters cannot fit the limit on bodies of queue "${queue}"`,
    )
})

const refuse = (id: 'InvalidArgument' | 'BodyTooLarge', message: string) =>
  Effect.fail(toDoorError(new KirokuError(id, message)))
