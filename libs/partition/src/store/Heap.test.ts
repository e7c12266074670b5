import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Heap } from './Heap.ts'

interface Item {
  readonly at: number
  readonly name: number
}

const drain = (heap: Heap<Item>): number[] => {
  const order: number[] = []
  for (let item = heap.pop(); item !== undefined; item = heap.pop()) order.push(item.at)
  return order
}

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ push: fc.integer({ min: 0, max: 50 }) }) },
    { weight: 2, arbitrary: fc.constant('pop' as const) },
    { weight: 2, arbitrary: fc.record({ remove: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ drop: fc.integer({ min: 2, max: 5 }) }) },
  ),
  { maxLength: 300 },
)

describe('a heap', () => {
  it('gives its items in the order of their keys and knows their places, whatever is put in and taken out', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const places = new Map<Item, number>()
        const heap = new Heap<Item>(
          (i) => i.at,
          (i, place) => (place < 0 ? places.delete(i) : places.set(i, place)),
        )
        let model: Item[] = []
        let name = 0
        for (const step of sequence) {
          if (step === 'pop') {
            const least = Math.min(...model.map((i) => i.at))
            const popped = heap.pop()
            if (model.length === 0) expect(popped).toBeUndefined()
            else expect(popped?.at).toBe(least)
            model = model.filter((i) => i !== popped)
          } else if ('push' in step) {
            const item = { at: step.push, name: name++ }
            heap.push(item)
            model.push(item)
          } else if ('remove' in step) {
            const item = model[step.remove % Math.max(1, model.length)]
            if (item === undefined) continue
            heap.remove(places.get(item)!)
            model = model.filter((i) => i !== item)
          } else {
            const keep = (i: Item): boolean => i.name % step.drop !== 0
            heap.filter(keep)
            model = model.filter(keep)
          }
          expect(heap.size).toBe(model.length)
          expect([...places.entries()].every(([i, place]) => heap.items[place] === i)).toBe(true)
          expect(places.size).toBe(model.length)
          expect(heap.peek()?.at ?? Number.POSITIVE_INFINITY).toBe(Math.min(...model.map((i) => i.at)))
        }
        expect(drain(heap)).toEqual(model.map((i) => i.at).sort((a, b) => a - b))
      }),
      { seed: 3, numRuns: 300 },
    )
  })

  it('has nothing to give when it is empty', () => {
    const heap = new Heap<Item>((i) => i.at)
    expect(heap.peek()).toBeUndefined()
    expect(heap.pop()).toBeUndefined()
  })
})
