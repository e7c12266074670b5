import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RunSlab } from './RunSlab.ts'

const read = (slab: RunSlab, id: number) => ({
  first: slab.first(id),
  count: slab.count(id),
  seq: slab.seq(id),
  index: slab.index(id),
  enqueuedAt: slab.enqueuedAt(id),
  delayMs: slab.delayMs(id),
  bytes: slab.bytes(id),
})

const runs = fc.record({
  first: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
  count: fc.integer({ min: 1, max: 1_000 }),
  seq: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
  index: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  enqueuedAt: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  delayMs: fc.integer({ min: 0, max: 14 * 86_400_000 }),
  bytes: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
})
type Run = typeof runs extends fc.Arbitrary<infer T> ? T : never

const alloc = (slab: RunSlab, r: Run): number =>
  slab.alloc(r.first, r.count, r.seq, r.index, r.enqueuedAt, r.delayMs, r.bytes)

const run: Run = { first: 5, count: 3, seq: 9, index: 7, enqueuedAt: 1_000, delayMs: 0, bytes: 30 }

describe('a slab of runs', () => {
  it('gives back every field of every run as it was put in, while runs come and go', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(runs, fc.nat()), { maxLength: 200 }), (steps) => {
        const slab = new RunSlab()
        const model = new Map<number, Run>()
        for (const [added, pick] of steps) {
          const id = alloc(slab, added)
          expect(model.has(id)).toBe(false)
          model.set(id, added)
          if (pick % 3 === 0) {
            const gone = [...model.keys()][pick % model.size]!
            slab.free(gone)
            model.delete(gone)
          }
        }
        expect(slab.used).toBe(model.size)
        for (const [id, expected] of model) expect(read(slab, id)).toEqual(expected)
        const restored = RunSlab.restore(slab.copy())
        expect(restored.used).toBe(model.size)
        for (const [id, expected] of model) expect(read(restored, id)).toEqual(expected)
        expect(model.has(alloc(restored, run))).toBe(false)
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  it('spans chunks', () => {
    const slab = new RunSlab()
    const ids = Array.from({ length: 10_000 }, (_, i) => alloc(slab, { ...run, first: i + 1 }))
    expect(slab.chunks.length).toBe(3)
    for (const [i, id] of ids.entries()) expect(slab.first(id)).toBe(i + 1)
  })

  it('shrinks from the front, across the borders of its packed fields', () => {
    fc.assert(
      fc.property(runs, fc.nat(), (given, pick) => {
        const slab = new RunSlab()
        const bounded = {
          ...given,
          first: Math.min(given.first, 2 ** 47),
          index: Math.min(given.index, 2 ** 31),
        }
        const id = alloc(slab, bounded)
        const taken = pick % bounded.count
        const share = slab.shrink(id, taken)
        expect(read(slab, id)).toEqual({
          ...bounded,
          first: bounded.first + taken,
          index: bounded.index + taken,
          count: bounded.count - taken,
          bytes: bounded.bytes - share,
        })
      }),
      { seed: 2, numRuns: 500 },
    )
  })

  it('shrinks over the 16-bit border of its index', () => {
    const slab = new RunSlab()
    const id = alloc(slab, { ...run, index: 0xfffe, count: 4 })
    slab.shrink(id, 3)
    expect(slab.index(id)).toBe(0x1_0001)
  })

  it('gives all its bytes away while it shrinks one by one', () => {
    const slab = new RunSlab()
    const id = alloc(slab, { ...run, count: 7, bytes: 100 })
    let given = 0
    for (let i = 0; i < 6; i++) given += slab.shrink(id, 1)
    expect(given + slab.bytes(id)).toBe(100)
  })

  describe('is joined by messages', () => {
    const joins = (change: Partial<Run & { more: number }>, given: Partial<Run> = {}): boolean => {
      const slab = new RunSlab()
      const id = alloc(slab, { ...run, ...given })
      const last = read(slab, id)
      const r = {
        ...last,
        first: last.first + last.count,
        index: last.index + last.count,
        more: 1,
        ...change,
      }
      return slab.joins(id, r.first, r.more, r.seq, r.index, r.enqueuedAt, r.bytes)
    }
    it('that follow it in the same frame', () => expect(joins({})).toBe(true))
    it('but not by those of another frame', () => expect(joins({ seq: 10 })).toBe(false))
    it('nor after a gap in numbers', () => expect(joins({ first: 9 })).toBe(false))
    it('nor after a gap among the bodies', () => expect(joins({ index: 11 })).toBe(false))
    it('nor with another age', () => expect(joins({ enqueuedAt: 1_001 })).toBe(false))
    it('up to 65,535 messages', () => {
      expect(joins({ more: 535 }, { count: 65_000 })).toBe(true)
      expect(joins({ more: 536 }, { count: 65_000 })).toBe(false)
    })
    it('up to 4 GiB', () => {
      expect(joins({ bytes: 95 }, { bytes: 2 ** 32 - 100 })).toBe(true)
      expect(joins({ bytes: 100 }, { bytes: 2 ** 32 - 100 })).toBe(false)
    })
  })

  it('counts what is grown onto a run and keeps its place', () => {
    const slab = new RunSlab()
    const id = alloc(slab, { ...run, index: 0x2_0003 })
    slab.grow(id, 60_000, 5)
    expect(read(slab, id)).toEqual({ ...run, index: 0x2_0003, count: 60_003, bytes: 35 })
  })
})
