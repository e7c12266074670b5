import { expect, it } from 'vitest'
import { pushRange, rangeNumbers, rangesInclude, rangeTotal } from './Ranges.ts'

it('joins a range to the one before when it follows it', () => {
  const ranges: number[] = []
  pushRange(ranges, 5, 1)
  pushRange(ranges, 6, 2)
  pushRange(ranges, 9, 1)
  expect(ranges).toEqual([5, 3, 9, 1])
  expect(rangeTotal(ranges)).toBe(4)
  expect(rangeNumbers(ranges)).toEqual([5, 6, 7, 9])
  expect([4, 5, 7, 8, 9, 10].map((n) => rangesInclude(ranges, n))).toEqual([
    false,
    true,
    true,
    false,
    true,
    false,
  ])
})
