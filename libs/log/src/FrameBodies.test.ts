import { expect, it } from 'vitest'
import { encodeRecord, FrameBodies, zeroHash, type BodySection } from './index.ts'

const frame = (sections: readonly BodySection[]): FrameBodies =>
  new FrameBodies(
    encodeRecord(
      { epoch: 1, at: 5, events: [{ type: 'OwnerChanged', epoch: 1, node: 'n', part: 1, of: 1 }], sections },
      zeroHash,
    ).bytes,
  )

it('finds the bodies of a frame by queue and index', () => {
  const bodies = frame([
    { queue: 3, bodies: [Uint8Array.of(1), Uint8Array.of(2, 3)] },
    { queue: 900, bodies: [{ seq: 17, bytes: 4 }, Uint8Array.of()] },
  ])
  expect(bodies.isEmpty).toBe(false)
  expect([...(bodies.body(3, 1) as Uint8Array)]).toEqual([2, 3])
  expect(bodies.body(900, 0)).toEqual({ seq: 17, bytes: 4 })
  expect((bodies.body(900, 1) as Uint8Array).length).toBe(0)
})

it('has no body where none was stored', () => {
  const bodies = frame([{ queue: 3, bodies: [Uint8Array.of(1)] }])
  expect(bodies.body(3, 1)).toBeUndefined()
  expect(bodies.body(4, 0)).toBeUndefined()
  expect(frame([]).isEmpty).toBe(true)
})
