import { expect, it } from 'vitest'
import { atLeast, atMost, informs, median, spreadOf } from './Figure.ts'

it('says whether a figure met its target', () => {
  expect(atLeast('ratio', 20, '×', 20)).toMatchObject({ value: 20, target: '≥ 20', met: true })
  expect(atLeast('ratio', 19.99, '×', 20).met).toBe(false)
  expect(atMost('stall', 100.4, 'ms', 100)).toMatchObject({ target: '≤ 100', met: false })
  expect(informs('raw', 3_661.234, '/s')).toMatchObject({ value: 3_661, target: null, met: null })
})

it('judges what was measured, not what was rounded', () => {
  expect(atLeast('ratio', 19.99999, '×', 20)).toMatchObject({ value: 20, met: false })
})

it.each([
  [[3, 1, 2], 2],
  [[10, 9, 100, 1], 9.5],
  [[7], 7],
])('takes the middle of %j', (values, expected) => {
  expect(median(values)).toBe(expected)
})

it.each([
  [[1, 2, 3, 4, 5], 2 / 3],
  [[5, 5, 5], 0],
  [[8], 0],
  // The outermost do not count.
  [[100, 10, 10, 10, 0], 0],
])('says how far the middle half of %j lies apart', (values, expected) => {
  expect(spreadOf(values)).toBeCloseTo(expected)
})
