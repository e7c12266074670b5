import { expect, it } from 'vitest'
import { atLeast, atMost, informs, median } from './Figure.ts'

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
