import { randomBytes } from 'node:crypto'
import { addExtension } from 'msgpackr'

/** From here on a body is written from where it lies, not copied among the rest. */
const besideBytesMin = 4 * 1024

/** Takes the place of a body that is written from where it lies. */
class Beside {}
const beside = new Beside()

/** What stands in its place until then; it is never sent, so that nobody can know it. */
const token = randomBytes(16)
const tokenType = 0x42
addExtension({ Class: Beside, type: tokenType, pack: () => token })
/** The token as MessagePack has it. */
const placeholder = Buffer.concat([Buffer.from([0xd8, tokenType]), token])

/** Bodies in place of which others stand, where one of them is large; collects those in their order. */
export const besides = (messages: readonly Uint8Array[], large: Uint8Array[]): readonly Uint8Array[] => {
  const before = large.length
  const replaced = messages.map((body): object => {
    if (body.length < besideBytesMin) return body
    large.push(body)
    return beside
  })
  return large.length === before ? messages : (replaced as Uint8Array[])
}

/** What was packed with bodies left out, and these in their places, as pieces to be written one after another. */
export const piecesOf = (packed: Buffer, large: readonly Uint8Array[]): readonly Uint8Array[] => {
  const pieces: Uint8Array[] = []
  let at = 0
  for (const body of large) {
    const place = packed.indexOf(placeholder, at)
    pieces.push(packed.subarray(at, writeBinaryHead(packed, place, body.length)), body)
    at = place + placeholder.length
  }
  pieces.push(packed.subarray(at))
  return pieces
}

/** The head of bytes in MessagePack. Returns its end. */
const writeBinaryHead = (into: Buffer, at: number, length: number): number => {
  if (length < 0x1_00_00) {
    into[at] = 0xc5
    return into.writeUInt16BE(length, at + 1)
  }
  into[at] = 0xc6
  return into.writeUInt32BE(length, at + 1)
}

/** Pieces as one. */
export const joined = (pieces: readonly Uint8Array[]): Uint8Array =>
  pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
