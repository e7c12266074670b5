import { State } from '@kiroku/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { slotBytes } from './LiveColumns.ts'
import { freeSlot, LiveSlab } from './LiveSlab.ts'
import { toEnd } from './toEnd.ts'
import { pageBytes } from './touchPages.ts'

type Step =
  | { readonly do: 'alloc'; readonly owner: number; readonly number: number; readonly at: number }
  | { readonly do: 'free'; readonly pick: number }
  | { readonly do: 'freeAll'; readonly owner: number }
  | { readonly do: 'schedule'; readonly pick: number; readonly at: number }

// Few owners and numbers that are multiples of a power of two, so that many share a place in the table.
const numbers = fc.oneof(
  fc.integer({ min: 1, max: 60 }),
  fc.integer({ min: 1, max: 60 }).map((n) => n * 2 ** 20),
  fc.integer({ min: 1, max: 60 }).map((n) => n * 2 ** 40),
)
const times = fc.integer({ min: 0, max: 100 })
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('alloc'), owner: fc.nat(2), number: numbers, at: times }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('free'), pick: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('freeAll'), owner: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('schedule'), pick: fc.nat(), at: times }) },
  ) as fc.Arbitrary<Step>,
  { maxLength: 400 },
)

interface Known {
  readonly owner: number
  readonly number: number
  readonly slot: number
  at: number
}

const check = (slab: LiveSlab, model: Map<string, Known>): void => {
  const known = [...model.values()]
  expect(slab.used).toBe(known.length)
  const { earliest } = slab
  if (known.length === 0) expect(earliest).toBe(-1)
  else expect(slab.deadline[earliest]).toBe(Math.min(...known.map((k) => k.at)))
  for (const now of [0, 33, 100]) {
    const due: number[] = []
    slab.eachDue(now, (slot) => due.push(slot) > 0)
    const expected = known.filter((k) => k.at <= now).map((k) => k.slot)
    expect(due.sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b))
  }
}

describe('a slab of live messages', () => {
  it('finds every message and its next deadline, whatever comes, goes and moves', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const slab = new LiveSlab(4)
        const model = new Map<string, Known>()
        const pick = (n: number): Known | undefined => [...model.values()][n % Math.max(1, model.size)]
        for (const step of sequence) {
          if (step.do === 'alloc') {
            const key = `${step.owner} ${step.number}`
            const before = model.get(key)
            expect(slab.find(step.owner, step.number)).toBe(before?.slot ?? -1)
            if (before !== undefined) continue
            const slot = slab.alloc(step.owner, step.number)
            slab.state[slot] = State.Inflight
            slab.schedule(slot, step.at)
            model.set(key, { ...step, slot })
          } else if (step.do === 'freeAll') {
            const gone = [...model].filter(([, known]) => known.owner === step.owner)
            slab.freeAll(gone.map(([, known]) => known.slot))
            for (const [key] of gone) model.delete(key)
          } else {
            const known = pick(step.pick)
            if (known === undefined) continue
            if (step.do === 'schedule') {
              slab.schedule(known.slot, step.at)
              known.at = step.at
            } else {
              slab.free(known.slot)
              model.delete(`${known.owner} ${known.number}`)
              expect(slab.find(known.owner, known.number)).toBe(-1)
            }
          }
        }
        check(slab, model)
        for (const k of model.values()) expect(slab.find(k.owner, k.number)).toBe(k.slot)
        const restored = toEnd(LiveSlab.restore(slab.copy()))
        check(restored, model)
        for (const k of model.values()) expect(restored.find(k.owner, k.number)).toBe(k.slot)
      }),
      { seed: 4, numRuns: 400 },
    )
  })

  it('keeps what it holds while it grows', () => {
    const slab = new LiveSlab(4)
    for (let n = 1; n <= 5_000; n++) {
      const slot = slab.alloc(1, n)
      slab.bytes[slot] = n
      slab.schedule(slot, 10_000 - n)
    }
    expect(slab.capacity).toBeGreaterThanOrEqual(5_000)
    expect(slab.number.length).toBe(slab.capacity)
    for (let n = 1; n <= 5_000; n++) expect(slab.bytes[slab.find(1, n)]).toBe(n)
    expect(slab.number[slab.earliest]).toBe(5_000)
  })

  it('finds what it should when a third of all leaves at once, at every moment of its growth', () => {
    for (let size = 600; size <= 1_030; size += 3) {
      const slab = new LiveSlab()
      for (let n = 1; n <= size; n++) slab.alloc(0, n)
      const gone = Array.from({ length: Math.floor(size / 3) }, (_, i) => (i + 1) * 3)
      slab.freeAll(gone.map((n) => slab.find(0, n)))
      for (let n = size + 1; n <= size + 150; n++) slab.alloc(0, n)
      for (let n = 1; n <= size + 150; n++)
        if (slab.find(0, n) >= 0 !== (n > size || n % 3 > 0)) expect.fail(`wrong for ${n} after ${size}`)
    }
  })

  it.each(['nothing', 'one of three'])(
    'finds what it should at every moment of its growth, while %s leaves',
    (leaves) => {
      const slab = new LiveSlab(16)
      const left = new Set<number>()
      let columns = slab.number
      let growths = 0
      for (let n = 1; n <= 12_000; n++) {
        slab.schedule(slab.alloc(0, n), n)
        left.add(n)
        if (leaves === 'one of three' && n % 3 === 0) {
          const gone = n - ((n * 7) % 600)
          if (left.delete(gone)) slab.free(slab.find(0, gone))
        }
        const asked = [n, n - 1, n >> 1, (n * 31) % 12_000]
        if (asked.some((m) => slab.find(0, m) >= 0 !== left.has(m))) expect.fail(`wrong after ${n}`)
        growths += columns === slab.number ? 0 : 1
        columns = slab.number
      }
      expect(growths).toBeGreaterThan(3)
      expect(slab.used).toBe(left.size)
      for (const n of left) expect(slab.number[slab.find(0, n)]).toBe(n)
    },
  )

  it('does not grow while its slots are used again', () => {
    const slab = new LiveSlab()
    for (let n = 1; n <= 600; n++) slab.alloc(0, n)
    for (let n = 601; n <= 5_000; n++) {
      slab.free(slab.find(0, n - 600))
      slab.alloc(0, n)
    }
    expect([slab.top, slab.used]).toEqual([600, 600])
    expect(slab.capacity).toBe(1024)
    for (let n = 1; n <= 5_000; n++) expect(slab.find(0, n) >= 0).toBe(n > 4_400)
  })

  it('has larger columns before its own are full, each page of them paid for by sixteen messages', () => {
    const capacity = 1 << 16
    const slab = new LiveSlab(capacity)
    let n = 0
    while (slab.capacity === capacity) slab.alloc(0, ++n)
    const pages = (capacity * slotBytes) / pageBytes
    expect(n - (capacity * 5) / 8).toBeGreaterThan(16 * pages)
    expect(n).toBeLessThan(capacity)
  })

  it('gives a slot that was freed to the next message, and to no other', () => {
    const slab = new LiveSlab(4)
    const first = slab.alloc(0, 1)
    slab.free(first)
    expect(slab.state[first]).toBe(freeSlot)
    expect(slab.alloc(0, 2)).toBe(first)
    expect(slab.alloc(0, 3)).not.toBe(first)
    expect(slab.top).toBe(2)
  })

  it('does not take a message of one owner for another’s', () => {
    const slab = new LiveSlab()
    const a = slab.alloc(1, 7)
    const b = slab.alloc(2, 7)
    expect([slab.find(1, 7), slab.find(2, 7), slab.find(3, 7)]).toEqual([a, b, -1])
  })

  it('spreads consecutive numbers and far ones over its table, so that look-ups stay short', () => {
    const slab = new LiveSlab(1 << 16)
    for (let n = 1; n <= 60_000; n++) slab.alloc(n % 7, n * 2 ** (n % 12))
    for (let n = 1; n <= 60_000; n += 7) expect(slab.find(n % 7, n * 2 ** (n % 12))).toBeGreaterThanOrEqual(0)
    expect(slab.find(1, -1)).toBe(-1)
  })

  it('keeps thousands of timers in order while messages leave from anywhere', () => {
    const slab = new LiveSlab()
    const left = new Map<number, number>()
    for (let n = 1; n <= 3_000; n++) {
      const at = Math.imul(n, 0x9e3779b1) >>> 12
      slab.schedule(slab.alloc(0, n), at)
      left.set(n, at)
    }
    for (let n = 1; n <= 3_000; n += 2) {
      slab.free(slab.find(0, n))
      left.delete(n)
    }
    const order: number[] = []
    for (let slot = slab.earliest; slot >= 0; slot = slab.earliest) {
      order.push(slab.deadline[slot]!)
      slab.free(slot)
    }
    expect(order).toEqual([...left.values()].sort((a, b) => a - b))
  })

  it('visits no more of what is due than it is asked to', () => {
    const slab = new LiveSlab()
    for (let n = 1; n <= 100; n++) slab.schedule(slab.alloc(0, n), 5)
    const visited: number[] = []
    slab.eachDue(5, (slot) => visited.push(slot) < 10)
    expect(visited.length).toBe(10)
  })

  it('puts its timers in order again after all deadlines moved', () => {
    const slab = new LiveSlab()
    for (let n = 1; n <= 100; n++) slab.schedule(slab.alloc(0, n), n)
    for (let slot = 0; slot < slab.top; slot++) slab.deadline[slot] = 1_000 - slab.deadline[slot]!
    slab.reorder()
    expect(slab.number[slab.earliest]).toBe(100)
  })
})
