import { setImmediate as nextTick } from 'node:timers/promises'
import * as Effect from 'effect/Effect'
import * as Stream from 'effect/Stream'
import * as HttpServerResponse from 'effect/http/HttpServerResponse'

/** Items that are written at once. */
const itemsAtOnce = 100

/**
 * Writes a list, and its items with commas between them, as bytes. Others have their turn in between: a list may be long, and the
 * engine's loop is everybody's.
 *
 * @param write writes one; undefined leaves it out
 */
export const inPieces = async <A>(
  items: readonly A[],
  write: (item: A) => string | undefined,
): Promise<readonly Uint8Array[]> => {
  const pieces: Uint8Array[] = []
  for (let i = 0; i < items.length; i += itemsAtOnce) {
    if (i > 0) await nextTick()
    const texts = items.slice(i, i + itemsAtOnce).flatMap((item) => write(item) ?? [])
    if (texts.length > 0) pieces.push(Buffer.from((pieces.length > 0 ? ',' : '') + texts.join(',')))
  }
  return pieces
}

/**
 * The answer that these are together. It is sent piece by piece, and others have their turn in between: to put 10 MB together held the
 * loop up for 70 ms, and to hand them to the socket at once for 50.
 */
export const jsonAnswer = (
  begin: string,
  items: readonly Uint8Array[],
  end: string,
): HttpServerResponse.HttpServerResponse => {
  const pieces = [Buffer.from(begin), ...items, Buffer.from(end)]
  const contentType = 'application/json'
  if (items.length < 2) return HttpServerResponse.uint8Array(Buffer.concat(pieces), { contentType })
  const contentLength = pieces.reduce((sum, { length }) => sum + length, 0)
  // Of several in a chunk, effect would make one again.
  const paced = Stream.fromIterable(pieces, { chunkSize: 1 }).pipe(Stream.tap(() => othersTurn))
  return HttpServerResponse.stream(paced, { contentType, contentLength })
}

const othersTurn = Effect.promise(() => nextTick())
