import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NumberSet } from './NumberSet.ts'

const spans = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 5 })), {
  maxLength: 60,
})

it('takes each number once, in whatever order they come', () => {
  fc.assert(
    fc.property(spans, (sequence) => {
      const set = new NumberSet()
      const model = new Set<number>()
      for (const [first, count] of sequence) {
        const numbers = Array.from({ length: count }, (_, i) => first + i)
        const isNew = !numbers.some((n) => model.has(n))
        expect(set.add(first, count)).toBe(isNew)
        if (isNew) for (const n of numbers) model.add(n)
      }
    }),
    { seed: 7, numRuns: 300 },
  )
})
