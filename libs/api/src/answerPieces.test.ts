import * as HttpServerResponse from 'effect/http/HttpServerResponse'
import { expect, it } from 'vitest'
import { answerPieces } from './answerPieces.ts'
import { turnsDuring } from './testing/turnsDuring.ts'

const answered = async (pieces: readonly Uint8Array[]) => {
  const response = HttpServerResponse.toWeb(answerPieces(pieces, 'text/plain'))
  const { headers } = response
  return {
    bytes: Buffer.from(await response.arrayBuffer()),
    type: headers.get('content-type'),
    length: headers.get('content-length'),
  }
}

it('sends a long answer piece by piece, while others have their turn', async () => {
  const pieces = Array.from({ length: 20 }, (_, i) => Buffer.alloc(100_000, i))
  const { value, turns } = await turnsDuring(() => answered(pieces))
  const { bytes, type, length } = value
  expect(bytes.equals(Buffer.concat(pieces))).toBe(true)
  expect({ type, length }).toEqual({ type: 'text/plain', length: '2000000' })
  expect(turns).toBeGreaterThanOrEqual(19)
})

it('sends a short one at once', async () => {
  const { bytes, type } = await answered([Buffer.from('o'), Buffer.from('ne')])
  expect({ text: bytes.toString(), type }).toEqual({ text: 'one', type: 'text/plain' })
})
