import { afterAll, beforeAll, expect, it } from 'vitest'
import { clock, exactTime, time, utcTime } from './format.ts'
import { chooseZone, zoneName } from './zone.ts'

const { TZ } = process.env
beforeAll(() => {
  process.env['TZ'] = 'Asia/Kolkata'
})
afterAll(() => {
  if (TZ === undefined) delete process.env['TZ']
  else process.env['TZ'] = TZ
})

const at = Date.UTC(2026, 10, 21, 22, 2, 31, 250)

it('times are written by the chosen clock, which has a name', () => {
  chooseZone('local')
  expect([time(at), clock(at), zoneName(at)]).toEqual(['2026-11-22 03:32:31', '03:32:31.250', 'UTC+5:30'])
  chooseZone('UTC')
  expect([time(at), exactTime(at), zoneName(at)]).toEqual([
    '2026-11-21 22:02:31',
    '2026-11-21 22:02:31.250',
    'UTC',
  ])
})

it('the exact instant is shown in UTC, whatever the chosen clock', () => {
  chooseZone('local')
  expect(utcTime(at)).toBe('2026-11-21 22:02:31.250 UTC')
})

it('the day is left out of a time of today, by the clock that is chosen', () => {
  chooseZone('local')
  expect(time(at, Date.UTC(2026, 10, 22, 10))).toBe('03:32:31')
  expect(time(at, Date.UTC(2026, 10, 21, 10))).toBe('2026-11-22 03:32:31')
})
