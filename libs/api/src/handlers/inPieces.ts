import { setImmediate as nextTick } from 'node:timers/promises'
import type * as HttpServerResponse from 'effect/http/HttpServerResponse'
import { answerPieces } from '../answerPieces.ts'

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

/** The answer that these are together. */
export const jsonAnswer = (
  begin: string,
  items: readonly Uint8Array[],
  end: string,
): HttpServerResponse.HttpServerResponse =>
  answerPieces([Buffer.from(begin), ...items, Buffer.from(end)], 'application/json')
