import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { bodiesBefore, snapshot } from '../index.ts'
import { given } from '../testing/deadLetters.ts'

/** A queue that got these many messages in each frame, of which some were received, and some of those became dead letters. */
const partition = (frames: readonly (readonly [sent: number, received: number, dead: number])[]) => {
  const p = given({}, 1)
  for (const [sent, received, dead] of frames) {
    p.send('q', sent)
    const delivery = received === 0 ? undefined : p.receive('q', { max: received })
    if (delivery !== undefined && dead > 0)
      p.settle('DeadLetter', delivery, { numbers: delivery.numbers.slice(0, dead) })
  }
  return p
}

it('the oldest bodies are those of the first frames that together hold few enough, or of the first', () => {
  const frame = fc.tuple(
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: 0, max: 2 }),
  )
  fc.assert(
    fc.property(
      fc.array(frame, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 0, max: 60 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (frames, max, share) => {
        const p = partition(frames)
        const s = snapshot(p.state)
        const before = 1 + Math.floor(share * p.state.frameSeq)
        const { bodies: all } = bodiesBefore(s, before)
        const { bodies: oldest, bytes } = bodiesBefore(s, before, max)
        expect(bytes).toBe(all.reduce((sum, each) => sum + each.bytes, 0))
        expect(oldest).toEqual(all.slice(0, oldest.length))
        const count = (upTo: number): number =>
          all.reduce(
            (sum, { seq, target, count: letters }) => sum + (seq > upTo ? 0 : target ? letters : 1),
            0,
          )
        const last = oldest.at(-1)?.seq
        const next = all[oldest.length]?.seq
        if (last !== undefined && last > all[0]!.seq) expect(count(last)).toBeLessThanOrEqual(max)
        if (next !== undefined) {
          expect(next).not.toBe(last)
          expect(count(next)).toBeGreaterThan(max)
        }
        expect(oldest.length > 0).toBe(all.length > 0)
      },
    ),
    { seed: 1, numRuns: 100 },
  )
})
