import { expect, it } from 'vitest'
import { startOf } from './startPosition.ts'

const now = Date.UTC(2026, 10, 21, 12)

it.each([
  ['latest', 'latest'],
  ['earliest', 'earliest'],
  ['17', { number: 17 }],
  ['2026-11-21T10:00:00Z', { time: Date.UTC(2026, 10, 21, 10) }],
  ['2026-11-21', { time: Date.UTC(2026, 10, 21) }],
  ['2h', { time: Date.UTC(2026, 10, 21, 10) }],
])('%s sets where a subscription begins', (text, start) => {
  expect(startOf(text, now)).toEqual(start)
})

it.each(['', 'yesterday', '-1', '1.5', '2026-99-99'])('"%s" does not', (text) => {
  expect(() => startOf(text, now)).toThrow(/--start: ".*" is not latest, earliest/)
})
