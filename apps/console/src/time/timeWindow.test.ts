import { expect, it } from 'vitest'
import { momentAt, momentText, shareOf, ticksOf, timeIn, windowAround } from './timeWindow.ts'

const record = { from: 1_000_000, to: 2_000_000 }

it('keeps the window inside the record, around the moment if there is room', () => {
  expect(windowAround(record, 1_500_000, 100_000)).toEqual({ from: 1_450_000, to: 1_550_000 })
  expect(windowAround(record, 1_000_010, 100_000)).toEqual({ from: 1_000_000, to: 1_100_000 })
  expect(windowAround(record, 1_999_999, 100_000)).toEqual({ from: 1_900_000, to: 2_000_000 })
  expect(windowAround(record, 1_500_000, Infinity)).toEqual(record)
})

it('turns places on the slider into moments and back', () => {
  for (const share of [0, 0.25, 1]) expect(shareOf(record, momentAt(record, share))).toBeCloseTo(share)
  expect(shareOf(record, 0)).toBe(0)
  expect(shareOf(record, 3_000_000)).toBe(1)
  expect(shareOf({ from: 5, to: 5 }, 5)).toBe(1)
})

it('writes round times, no more than there is room for', () => {
  const ticks = ticksOf(
    { from: Date.parse('2026-01-01T10:00:10Z'), to: Date.parse('2026-01-01T10:59:00Z') },
    5,
  )
  expect(ticks.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual(['10:15', '10:30', '10:45'])
})

it('reads times in the URL, and leaves records to the server', () => {
  expect(timeIn(momentText(1_234_567))).toBe(1_234_567)
  expect(timeIn('3/1234')).toBeUndefined()
  expect(timeIn('1234')).toBeUndefined()
  expect(timeIn('5m')).toBeUndefined()
})
