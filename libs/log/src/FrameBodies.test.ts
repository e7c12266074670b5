import { expect, it } from 'vitest'
import { bodyTableBytes, encodeRecord, FrameBodies, zeroHash, type BodySection } from './index.ts'

const record = (sections: readonly BodySection[]): Uint8Array =>
  encodeRecord(
    { epoch: 1, at: 5, events: [{ type: 'OwnerChanged', epoch: 1, node: 'n', part: 1, of: 1 }], sections },
    zeroHash,
  ).bytes

const frame = (sections: readonly BodySection[]): FrameBodies => FrameBodies.of(record(sections))

/** Sections that lengthen the table. */
const others = (count: number): BodySection[] =>
  Array.from({ length: count }, (_, i) => ({ queue: 10 + i, bodies: [Uint8Array.of(7, 7, 7)] }))

it.each([
  ['few', 0],
  ['many', 50],
])('finds the bodies of a frame by queue and index, among %s others', (_, count) => {
  const bodies = frame([
    ...others(count),
    { queue: 3, bodies: [Uint8Array.of(1), Uint8Array.of(2, 3)] },
    { queue: 900, bodies: [{ seq: 17, bytes: 4 }, Uint8Array.of()] },
  ])
  expect([...(bodies.body(3, 1) as Uint8Array)]).toEqual([2, 3])
  expect(bodies.body(900, 0)).toEqual({ seq: 17, bytes: 4 })
  expect((bodies.body(900, 1) as Uint8Array).length).toBe(0)
})

it.each([
  ['few', 0],
  ['many', 50],
])('has no body where none was stored, among %s others', (_, count) => {
  const bodies = frame([...others(count), { queue: 3, bodies: [Uint8Array.of(1)] }])
  expect(bodies.body(3, 1)).toBeUndefined()
  expect(bodies.body(4, 0)).toBeUndefined()
})

it('a record without bodies has no table', () => {
  expect(bodyTableBytes(record([]))).toBe(0)
  expect(bodyTableBytes(record([{ queue: 3, bodies: [Uint8Array.of(1)] }]))).toBe(3)
})

it.each([
  ['few', 0],
  ['many', 50],
])('refuses bodies that end too early, among %s others', (_, count) => {
  const whole = record([...others(count), { queue: 3, bodies: [Uint8Array.of(1, 2)] }])
  const error = expect.objectContaining({ id: 'LogDamaged' })
  expect(() => FrameBodies.of(whole.subarray(0, -1)).body(3, 0)).toThrow(error)
})
