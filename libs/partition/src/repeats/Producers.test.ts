import { limits } from '@kiroku/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toEnd } from '../store/toEnd.ts'
import { Producers } from './Producers.ts'

const window = limits.producerWindowSends

/** The same in the simplest way: whole windows by producer. */
class Model {
  readonly byId = new Map<string, { lastAt: number; highest: number; sends: Map<number, number[]> }>()

  note(id: string, send: number, queue: number, first: number, count: number, at: number): void {
    const p = this.byId.get(id) ?? { lastAt: at, highest: 0, sends: new Map<number, number[]>() }
    this.byId.delete(id)
    this.byId.set(id, p)
    p.lastAt = at
    p.highest = Math.max(p.highest, send)
    const before = p.sends.get(send % window)
    p.sends.set(
      send % window,
      before?.[0] === send ? before.with(3, before[3]! + count) : [send, queue, first, count],
    )
    for (const [old, { lastAt }] of this.byId) if (lastAt <= at - limits.producerIdleMs) this.byId.delete(old)
  }

  find(id: string, send: number): unknown {
    const p = this.byId.get(id)
    const [found, queue, first, count] = p?.sends.get(send % window) ?? []
    if (p !== undefined && found === send) return { queue, first, count }
    return p !== undefined && send <= p.highest - window ? 'tooOld' : undefined
  }
}

const noted = fc.record({
  id: fc.nat(4).map(String),
  send: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 2 ** 31, max: 2 ** 31 + 99 })),
  count: fc.integer({ min: 1, max: 9 }),
  pause: fc.oneof(fc.constant(0), fc.nat(limits.producerIdleMs / 3)),
})

describe('producers', () => {
  it('are remembered as whole windows of each would be, also behind a copy', () => {
    fc.assert(
      fc.property(fc.array(noted, { maxLength: 300 }), fc.nat(300), (notes, copyAfter) => {
        let producers = new Producers()
        const model = new Model()
        let at = 1
        for (const [i, { id, send, count, pause }] of notes.entries()) {
          at += pause
          producers.note(id, send, 7, i, count, at)
          model.note(id, send, 7, i, count, at)
          if (i !== copyAfter) continue
          const copy = toEnd(producers.copy())
          producers = new Producers()
          toEnd(producers.restore(copy))
        }
        expect(toEnd(producers.copy()).ids).toEqual([...model.byId.keys()])
        for (const { id, send } of notes)
          for (const asked of [send, send + window, Math.max(1, send - window)])
            expect(producers.find(id, asked)).toEqual(model.find(id, asked))
      }),
      { seed: 7, numRuns: 300 },
    )
  })
  it('take what their sends take in a copy, not a window each', () => {
    const producers = new Producers()
    for (let i = 0; i < 1_000; i++) producers.note(`p${i}`, 1, 1, i, 1, 1)
    const { lastAt, highest, counts, sends } = toEnd(producers.copy())
    const bytes = [lastAt, highest, counts, sends].reduce((sum, column) => sum + column.byteLength, 0)
    expect(bytes).toBe(49 * 1_000)
  })

  it('have nothing of those whose place they take', () => {
    const idle = limits.producerIdleMs
    const producers = new Producers()
    producers.noteAnswer('a', 1, 1, [7, 1], 0)
    producers.note('b', 1, 1, 1, 1, idle)
    producers.note('c', 1, 1, 5, 2, idle)
    const copy = toEnd(producers.copy())
    expect(copy.ids).toEqual(['b', 'c'])
    const restored = new Producers()
    toEnd(restored.restore(copy))
    for (const each of [producers, restored]) {
      expect(each.find('b', 1)).toEqual({ queue: 1, first: 1, count: 1 })
      expect(each.find('c', 1)).toEqual({ queue: 1, first: 5, count: 2 })
      expect(each.sends).toBe(2)
    }
  })
  it('are in a copy as they were when it was begun', () => {
    const producers = new Producers()
    producers.note('a', 1, 1, 1, 1, 10)
    const copying = producers.copy()
    copying.next()
    producers.note('a', 2, 1, 2, 1, 20)
    expect(toEnd(copying)).toMatchObject({
      ids: ['a'],
      lastAt: Float64Array.of(10),
      highest: Float64Array.of(1),
      counts: Uint8Array.of(1),
    })
  })
  it('move on with the time from the very moment on from which it moves', () => {
    const producers = new Producers()
    producers.note('a', 1, 1, 1, 1, 99)
    producers.note('b', 1, 1, 2, 1, 100)
    producers.move(100, 50)
    expect(toEnd(producers.copy()).lastAt).toEqual(Float64Array.of(99, 150))
  })
})
