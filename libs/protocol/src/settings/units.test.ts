import { describe, expect, it } from 'vitest'
import {
  exactBytes,
  exactDuration,
  formatBytes,
  formatDuration,
  parseBytes,
  parseDurationMs,
} from './units.ts'

describe('durations', () => {
  it.each([
    ['0', 0],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['30 S', 30_000],
    [' 5m ', 300_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDurationMs(text, 'x')).toBe(ms)
  })

  it.each(['', '5', '-5s', '5 x', '5sec', 's'])('"%s" is none', (text) => {
    expect(() => parseDurationMs(text, '--delay')).toThrow(/--delay: ".*" is not a duration/)
  })

  it.each(['1000001d', '9e9d', '99999999999999999999ms', '9'.repeat(400) + 's'])(
    '"%s" is refused',
    (text) => {
      expect(() => parseDurationMs(text, '--delay')).toThrow(/--delay: ".*" is (longer than|not a duration)/)
    },
  )

  it.each([
    [0, '0'],
    [750, '750ms'],
    [30_000, '30s'],
    [90_000, '90s'],
    [345_600_000, '4d'],
    [1_234, '1.2s'],
  ])('%d ms is written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it.each([0, 1, 1_234, 90_000, 36 * 3_600_000])('%d ms are written so that they read back', (ms) => {
    expect(parseDurationMs(exactDuration(ms), 'x')).toBe(ms)
  })
})

describe('sizes', () => {
  it.each([
    ['17', 17],
    ['512KiB', 524_288],
    ['8MB', 8_000_000],
    ['1 gib', 1_073_741_824],
    ['1.5GiB', 1_610_612_736],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseBytes(text, 'x')).toBe(bytes)
  })

  it.each(['', 'x', '-1', '1 XiB', '1kb'])('"%s" is none', (text) => {
    expect(() => parseBytes(text, '--body-bytes')).toThrow(/is not a size/)
  })

  it.each(['99999999999GiB', '9'.repeat(400)])('"%s" is too large', (text) => {
    expect(() => parseBytes(text, '--record-bytes')).toThrow(/is too large/)
  })

  it.each([0, 17, 1_000, 1_536, 3 * 1024 ** 2, 1_500_001])(
    '%d are written so that they read back',
    (bytes) => {
      expect(parseBytes(exactBytes(bytes), 'x')).toBe(bytes)
    },
  )

  it('are written with one decimal', () => {
    expect([17, 1_536, 20 * 1024 ** 3].map(formatBytes)).toEqual(['17 B', '1.5 KiB', '20 GiB'])
  })
})
