import { expect, it } from 'vitest'
import { SpreadMap } from './SpreadMap.ts'

it.each([
  ['numbers', (i: number): number | string => i * 3 + 2 ** 32 * (i % 2)],
  ['texts', (i: number): number | string => `customer ${i}`],
])('a spread map of %s holds what a map holds', (_, keyOf) => {
  const spread = new SpreadMap<number | string, number>()
  const map = new Map<number | string, number>()
  for (let i = 0; i < 30_000; i++) {
    const key = keyOf((i * 7) % 9_000)
    if (i % 5 === 4) {
      spread.delete(key)
      map.delete(key)
    } else {
      spread.set(key, i)
      map.set(key, i)
    }
  }
  expect(map.size).toBeGreaterThan(5_000)
  for (let i = 0; i < 9_000; i++) expect(spread.get(keyOf(i))).toBe(map.get(keyOf(i)))
})
