import { isKirokuError, type LogEvent } from '@kiroku/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BodyRef, FrameContent } from './Frame.ts'
import { decodeRecord, encodeBodyRecord, encodeRecord } from './FrameCodec.ts'
import { hashBytes } from './RecordLayout.ts'

const count = fc.maxSafeNat()
const hash = fc.uint8Array({ minLength: hashBytes, maxLength: hashBytes })
const ranges = fc.array(count, { maxLength: 20 })
const event: fc.Arbitrary<LogEvent> = fc.oneof(
  fc.record({
    type: fc.constant('Enqueued' as const),
    queue: count,
    first: count,
    count,
    dueAt: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    bytes: count,
    producer: fc.string({ unit: 'grapheme' }),
    send: count,
  }),
  fc.record({ type: fc.constant('Acked' as const), queue: count, sub: count, numbers: ranges }),
  fc.record({
    type: fc.constant('QueueCreated' as const),
    queue: count,
    name: fc.string(),
    config: fc.dictionary(
      fc.stringMatching(/^[a-z][a-zA-Z]{0,9}$/),
      fc.oneof(count, fc.string(), fc.boolean(), fc.constant(null)),
    ),
    by: fc.record({ name: fc.string(), origin: fc.string() }),
  }),
  fc.record({ type: fc.constant('Trimmed' as const), upTo: count }),
  fc.record({
    type: fc.constant('StoreShort' as const),
    freeBytes: count,
    bytesMax: count,
    optional: fc.constant(true as const),
  }),
)
const body: fc.Arbitrary<BodyRef> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.record({ seq: count, bytes: fc.nat() }),
)
const content: fc.Arbitrary<FrameContent> = fc.record({
  epoch: count,
  at: fc.double({ min: 0, max: 2 ** 53, noNaN: true }),
  events: fc.array(event, { maxLength: 60 }),
  sections: fc.uniqueArray(fc.record({ queue: count, bodies: fc.array(body, { maxLength: 20 }) }), {
    selector: (s) => s.queue,
    maxLength: 8,
  }),
})

const plain = (ref: BodyRef): unknown => (ref instanceof Uint8Array ? [...ref] : ref)

test('a frame decodes to what was encoded', () => {
  fc.assert(
    fc.property(content, hash, (frame, prevHash) => {
      const encoded = encodeRecord(frame, prevHash)
      const decoded = decodeRecord(encoded.bytes)
      if (decoded.kind !== 'frame') throw new Error('not a frame')
      expect(decoded.epoch).toBe(frame.epoch)
      expect(decoded.at).toBe(frame.at)
      expect(decoded.events).toEqual(frame.events)
      expect([...decoded.prevHash]).toEqual([...prevHash])
      expect(decoded.hash).toEqual(encoded.hash)
      expect(decoded.bodiesIntact()).toBe(true)
      expect(decoded.sections.map((s) => ({ queue: s.queue, bodies: s.bodies.map(plain) }))).toEqual(
        frame.sections.map((s) => ({ queue: s.queue, bodies: s.bodies.map(plain) })),
      )
      for (const { queue, bodies } of frame.sections) {
        expect(decoded.bodyCount(queue)).toBe(bodies.length)
        bodies.forEach((ref, index) => expect(plain(decoded.body(queue, index))).toEqual(plain(ref)))
      }
    }),
    { seed: 20_261_122, numRuns: 300 },
  )
})

test('a body record decodes to what was encoded', () => {
  fc.assert(
    fc.property(count, fc.uint8Array({ maxLength: 2000 }), hash, (epoch, large, prevHash) => {
      const encoded = encodeBodyRecord({ epoch, body: large }, prevHash)
      const decoded = decodeRecord(encoded.bytes)
      if (decoded.kind !== 'body') throw new Error('not a body')
      expect(decoded.epoch).toBe(epoch)
      expect([...decoded.body]).toEqual([...large])
      expect(decoded.hash).toEqual(encoded.hash)
    }),
    { seed: 20_261_122 },
  )
})

test('a flipped byte anywhere is damage', () => {
  fc.assert(
    fc.property(content, hash, fc.nat(), fc.integer({ min: 1, max: 255 }), (frame, prevHash, where, flip) => {
      const bytes = Uint8Array.from(encodeRecord(frame, prevHash).bytes)
      bytes[where % bytes.length]! ^= flip
      let thrown: unknown
      try {
        decodeRecord(bytes)
      } catch (e) {
        thrown = e
      }
      expect(isKirokuError(thrown) && thrown.id).toBe('LogDamaged')
    }),
    { seed: 20_261_122, numRuns: 500 },
  )
})

test('a cut at any place is damage', () => {
  fc.assert(
    fc.property(content, hash, fc.nat(), (frame, prevHash, where) => {
      const { bytes } = encodeRecord(frame, prevHash)
      const cut = bytes.subarray(0, 3 + (where % (bytes.length - 3)))
      expect(() => decodeRecord(cut)).toThrow(expect.objectContaining({ id: 'LogDamaged' }))
    }),
    { seed: 20_261_122 },
  )
})

test('the hash depends on the events, the bodies and the record before', () => {
  fc.assert(
    fc.property(content, hash, (frame, prevHash) => {
      const own = Buffer.from(encodeRecord(frame, prevHash).hash)
      const otherPrev = Uint8Array.from(prevHash, (b) => b ^ 1)
      const other = {
        ...frame,
        sections: [...frame.sections, { queue: -1 >>> 0, bodies: [new Uint8Array([1])] }],
      }
      expect(own.equals(encodeRecord(frame, otherPrev).hash)).toBe(false)
      expect(own.equals(encodeRecord({ ...frame, epoch: frame.epoch + 1 }, prevHash).hash)).toBe(false)
      expect(own.equals(encodeRecord(other, prevHash).hash)).toBe(false)
    }),
    { seed: 20_261_122, numRuns: 50 },
  )
})
