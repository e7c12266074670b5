import { expect, it } from 'vitest'
import { startOf } from './start.ts'

it.each([
  ['latest', '', 'latest'],
  ['earliest', '', 'earliest'],
  ['number', ' 12 ', { number: 12 }],
  ['number', 'twelve', undefined],
  ['time', '2026-11-21 14:00', { time: Date.UTC(2026, 10, 21, 14) }],
  ['time', '2026-11-21T14:00:05Z', { time: Date.UTC(2026, 10, 21, 14, 0, 5) }],
  ['time', '2026-13-21 14:00', undefined],
  ['time', 'yesterday', undefined],
] as const)('reads a start of kind %s with "%s"', (kind, text, start) => {
  expect(startOf({ kind, text })).toEqual(start)
})
