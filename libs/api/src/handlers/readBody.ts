import { toIncomingMessage } from '@effect/platform-node/NodeHttpServerRequest'
import { toDoorError, type DoorError, type InFlight } from '@kiroku/doors'
import { isKirokuError, KirokuError } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as Stream from 'effect/Stream'
import type * as HttpServerRequest from 'effect/http/HttpServerRequest'

/** Smaller bodies are not counted: the limit on connections bounds them. */
const countedBytesMin = 16 * 1024

/** What bodies may take: each of them, and all that are not answered yet. */
export interface BodyLimits {
  readonly bodyBytesMax: number
  readonly inFlight: InFlight
}

/**
 * The text of a request's body; counts a large one as it arrives. Interrupted if the caller stops sending. Errors: `BodyTooLarge`, `Busy`.
 */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  { bodyBytesMax, inFlight }: BodyLimits,
): Effect.Effect<string, DoorError> => {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (length === undefined && coding === undefined) return Effect.succeed('')
  const source = toIncomingMessage(request)
  const chunks: Uint8Array[] = []
  let bytes = 0
  const count = (more: number): void => {
    bytes += more
    if (bytes > bodyBytesMax)
      throw new KirokuError('BodyTooLarge', `the request is larger than ${bodyBytesMax} bytes`)
    inFlight.take(source, more)
  }
  const reading =
    Number(length) <= Math.min(countedBytesMin, bodyBytesMax)
      ? request.text
      : Effect.gen(function* () {
          if (Number(length) > bodyBytesMax) count(Number(length))
          yield* Stream.runForEach(request.stream, (chunk) =>
            Effect.sync(() => {
              count(chunk.length)
              chunks.push(chunk)
            }),
          )
          const text = new TextDecoder().decode(Buffer.concat(chunks, bytes))
          // What is read here cannot be read again.
          Object.defineProperty(request, 'text', { value: Effect.succeed(text) })
          return text
        })
  return reading.pipe(
    Effect.catchDefect((error) => (isKirokuError(error) ? Effect.fail(error) : Effect.die(error))),
    Effect.catch((error) => (isKirokuError(error) ? Effect.fail(toDoorError(error)) : Effect.interrupt)),
  )
}
