import { expect, it } from 'vitest'
import { compareWindow } from './compareWindow.ts'

const minuteMs = 60_000
const record = { from: 0, to: 10_000 * minuteMs }

it('has room around both moments, and no more than needed to distinguish them', () => {
  const [a, b] = [5_000 * minuteMs, 5_005 * minuteMs]
  expect(compareWindow(record, a, b, undefined)).toEqual({
    from: 4_997.5 * minuteMs,
    to: 5_007.5 * minuteMs,
  })
  expect(compareWindow(record, b, a, undefined)).toEqual(compareWindow(record, a, b, undefined))
  expect(compareWindow(record, record.from, record.to, undefined)).toEqual(record)
})

it('stays fixed while the moments are moved inside it', () => {
  const before = compareWindow(record, 5_000 * minuteMs, 5_005 * minuteMs, undefined)
  expect(compareWindow(record, 4_998 * minuteMs, 5_007 * minuteMs, before)).toBe(before)
  expect(compareWindow(record, 4_000 * minuteMs, 5_007 * minuteMs, before)).not.toBe(before)
})

it('ends where the record ends', () => {
  expect(compareWindow(record, record.to - 5 * minuteMs, record.to, undefined)).toEqual({
    from: record.to - 10 * minuteMs,
    to: record.to,
  })
})
