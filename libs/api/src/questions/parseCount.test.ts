import { expect, it } from 'vitest'
import { parseCount } from './parseCount.ts'

it('a number is read where it is a whole one within the range', () => {
  expect([parseCount('0', 'limit', 0), parseCount('500', 'limit', 1, 500)]).toEqual([0, 500])
})

it.each(['', ' ', '-1', '0', '501', '1.5', 'all', '1e400'])('"%s" is refused, with the range', (text) => {
  expect(() => parseCount(text, 'buckets', 1, 500)).toThrow(
    `buckets: "${text}" is not a number from 1 to 500`,
  )
})

it('a range may have no end', () => {
  expect(parseCount('1000000', 'limit', 1)).toBe(1_000_000)
  expect(() => parseCount('0', 'limit', 1)).toThrow('limit: "0" is not a number from 1 on')
})
