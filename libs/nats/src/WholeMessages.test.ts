import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WholeMessages } from './WholeMessages.ts'

/** What one message, or one line that is none, is on the wire. */
const message = fc.oneof(
  fc
    .record({ hasHeaders: fc.boolean(), replies: fc.boolean(), payload: fc.uint8Array({ maxLength: 300 }) })
    .map(({ hasHeaders, replies, payload }) => {
      const to = `_INBOX.x 12 ${replies ? 'answers.here ' : ''}`
      const line = hasHeaders ? `HMSG ${to}0 ${payload.length}` : `MSG ${to}${payload.length}`
      return Buffer.concat([Buffer.from(`${line}\r\n`), payload, Buffer.from('\r\n')])
    }),
  fc
    .constantFrom('PING\r\n', 'PONG\r\n', '+OK\r\n', "-ERR 'no'\r\n", 'INFO {"max_payload":1}\r\n')
    .map(Buffer.from),
)

const cut = (bytes: Buffer, lengths: readonly number[]): Buffer[] => {
  const chunks: Buffer[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const end = at + (lengths[i % lengths.length] ?? 1)
    // As from a socket: memory of its own.
    chunks.push(Buffer.from(bytes.subarray(at, end)))
    at = end
  }
  return chunks
}

describe('what arrives from NATS', () => {
  it('comes in its order, and no message in two pieces, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 12 }),
        fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 5 }),
        (messages, lengths) => {
          const pieces: Buffer[] = []
          const whole = new WholeMessages((piece) => pieces.push(piece))
          for (const chunk of cut(Buffer.concat(messages), lengths)) whole.take(chunk)
          expect(Buffer.concat(pieces).equals(Buffer.concat(messages))).toBe(true)
          // Each piece ends where a message does.
          const ends = new Set<number>()
          let end = 0
          for (const { length } of messages) ends.add((end += length))
          let at = 0
          for (const { length } of pieces) expect(ends.has((at += length))).toBe(true)
        },
      ),
      { seed: 3, numRuns: 2_000 },
    )
  })
})
