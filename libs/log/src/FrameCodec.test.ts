import { expect, test } from 'vitest'
import { frameVersion, type FrameContent } from './Frame.ts'
import { decodeRecord, encodeBodyRecord, encodeRecord, largeBodyOf } from './FrameCodec.ts'
import { checksum, isOurs, layout, zeroHash } from './RecordLayout.ts'

const frame: FrameContent = {
  epoch: 3,
  at: 1790000000000.25,
  events: [
    {
      type: 'Enqueued',
      queue: 7,
      first: 1,
      count: 2,
      dueAt: 0,
      bytes: 100_005,
      producer: 'p',
      send: 9007199254740991,
    },
    { type: 'Acked', queue: 7, sub: 0, numbers: [1, 1] },
  ],
  sections: [{ queue: 7, bodies: [new TextEncoder().encode('hello'), { seq: 41, bytes: 100_000 }] }],
}

test('a record of a newer version is refused as such, not as damage', () => {
  const bytes = Buffer.from(encodeRecord(frame, zeroHash).bytes)
  bytes[layout.version] = frameVersion + 1
  bytes.writeUInt32LE(checksum(bytes), layout.crc)
  expect(() => decodeRecord(bytes)).toThrow(expect.objectContaining({ id: 'FutureVersion' }))
})

test('a large body is told from a frame without reading events', () => {
  const body = new Uint8Array([1, 2, 3])
  expect([...largeBodyOf(encodeBodyRecord({ epoch: 3, body }, zeroHash).bytes)!]).toEqual([1, 2, 3])
  const bytes = Buffer.from(encodeRecord(frame, zeroHash).bytes)
  expect(largeBodyOf(bytes)).toBeUndefined()
  // A byte without a meaning.
  bytes[layout.payload] = 0xc1
  bytes.writeUInt32LE(checksum(bytes), layout.crc)
  expect(() => decodeRecord(bytes)).toThrow(expect.objectContaining({ id: 'LogDamaged' }))
  expect(largeBodyOf(bytes)).toBeUndefined()
})

test.each([
  ['a record that is cut off', (bytes: Buffer) => bytes.subarray(0, layout.payload - 1)],
  ['a wrong checksum', (bytes: Buffer) => bytes.fill(1, bytes.length - 1)],
])('no large body is read from %s', (_, damage) => {
  const bytes = Buffer.from(encodeBodyRecord({ epoch: 3, body: new Uint8Array(9) }, zeroHash).bytes)
  expect(() => largeBodyOf(damage(bytes))).toThrow(expect.objectContaining({ id: 'LogDamaged' }))
})

test('a foreign record is not one of Kiroku', () => {
  expect(isOurs(new TextEncoder().encode('{"hello":"world"}'))).toBe(false)
  expect(isOurs(new Uint8Array())).toBe(false)
  expect(isOurs(encodeRecord(frame, zeroHash).bytes)).toBe(true)
})

test('a queue with two body sections in one frame is refused', () => {
  const twice = { ...frame, sections: [...frame.sections, ...frame.sections] }
  expect(() => encodeRecord(twice, zeroHash)).toThrow('two body sections')
})

test('a frame that version 1 wrote can still be read', () => {
  const stored = Buffer.from(
    'S1JLVd9+4vUBAQAAAAAAAAAACEAABMAGRQx6QnkAAAAHAAAABQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAALPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCSS1HJAmKR0eXBlpXF1ZXVlpWZpcnN0pWNvdW50pWR1ZUF0pWJ5dGVzqHByb2R1Y2VypHNlbmSoRW5xdWV1ZWQHAQIAzgABhqWhcMtDP////////9RyQZSkdHlwZaVxdWV1ZaNzdWKnbnVtYmVyc6VBY2tlZAcAkgEBBwIKwZoMKWhlbGxv',
    'base64',
  )
  const decoded = decodeRecord(stored)
  if (decoded.kind !== 'frame') throw new Error('not a frame')
  expect(decoded.events).toEqual(frame.events)
  expect(decoded.at).toBe(frame.at)
  expect(Buffer.from(decoded.body(7, 0) as Uint8Array).toString()).toBe('hello')
  expect(decoded.body(7, 1)).toEqual({ seq: 41, bytes: 100_000 })
  expect(Buffer.from(decoded.hash).toString('hex')).toBe(
    '0e2722cc6b741ee13704d48c7dec52597a8877e149cd177d8c0340846964700b',
  )
})

test('what has a right checksum and holds no events is damage', () => {
  const forged = (events: unknown) => encodeRecord({ ...frame, events: events as [] }, zeroHash).bytes
  for (const events of [null, 1, 'x', {}, [null], [[]], [{}], [{ type: 1 }], [frame.events[0], 'x']])
    expect(() => decodeRecord(forged(events)), JSON.stringify(events)).toThrow(
      expect.objectContaining({ id: 'LogDamaged' }),
    )
})
