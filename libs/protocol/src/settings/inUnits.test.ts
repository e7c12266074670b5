import { expect, it } from 'vitest'
import { inBytes, inTime } from './inUnits.ts'

it.each([
  [46_800_000, '13 h'],
  [43_200_000, '12 h'],
  [86_400_000, '1 d'],
  [90_000, '90 s'],
  [1_500, '1500 ms'],
  [0, '0 ms'],
  [0.5, '0.5 ms'],
  [Infinity, 'Infinity ms'],
  ['5', '"5"'],
  [{}, 'an object'],
  [5n, '5'],
])('%o ms is %s to people', (ms, text) => {
  expect(inTime(ms)).toBe(text)
})

it.each([
  [64 * 1024 ** 2, '64 MiB'],
  [1_500, '1500 B'],
])('%j bytes are %s', (bytes, text) => {
  expect(inBytes(bytes)).toBe(text)
})
