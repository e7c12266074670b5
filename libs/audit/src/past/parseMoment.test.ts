import { expect, it } from 'vitest'
import { parseMoment } from './parseMoment.ts'

const now = Date.parse('2026-11-21T15:00:00Z')
const parse = (text: string) => parseMoment(text, '--at', now)
const time = (text: string) => ({ time: Date.parse(text) })

it('a number is a sequence, of a partition if one is named', () => {
  expect(parse('1234')).toEqual({ seq: 1234 })
  expect(parse('3/1234')).toEqual({ seq: 1234, partition: 3 })
})

it('a time is one of UTC, with or without a zone', () => {
  expect(parse('2026-11-21T14:02:31Z')).toEqual(time('2026-11-21T14:02:31Z'))
  expect(parse('2026-11-21T14:02:31')).toEqual(time('2026-11-21T14:02:31Z'))
  expect(parse('2026-11-21 14:02')).toEqual(time('2026-11-21T14:02:00Z'))
  expect(parse('2026-11-21T14:02:31+02:00')).toEqual(time('2026-11-21T12:02:31Z'))
})

it('a number too large for a sequence is a time in ms since 1970, as in the answers of the API', () => {
  expect(parse('1795269751000')).toEqual({ time: 1_795_269_751_000 })
  expect(parse('999999999999')).toEqual({ seq: 999_999_999_999 })
  expect(parse('99999999999999999999')).toEqual({ seq: 1e20 })
  expect(parse('3/1795269751000')).toEqual({ seq: 1_795_269_751_000, partition: 3 })
})

it('a time of day is the last one', () => {
  expect(parse('14:02:31')).toEqual(time('2026-11-21T14:02:31Z'))
  expect(parse('14:02:31.5')).toEqual(time('2026-11-21T14:02:31.500Z'))
  expect(parse('23:00')).toEqual(time('2026-11-20T23:00:00Z'))
})

it('a duration counts back', () => {
  expect(parse('5m')).toEqual(time('2026-11-21T14:55:00Z'))
})

it('anything else is refused, with what fits', () => {
  expect(() => parse('yesterday')).toThrow('--at: "yesterday" is not a moment; write a sequence')
  expect(() => parse('25:00')).toThrow('is not a moment')
})

it('a duration that leads before any date is refused, not taken for a moment without a time', () => {
  expect(() => parse('99999999999d')).toThrow('--at: "99999999999d" is longer than a million days')
  expect(() => new Date((parse('1000000d') as { time: number }).time).toISOString()).not.toThrow()
})
