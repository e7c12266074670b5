import { describe, expect, it } from 'vitest'
import { retryAfterMs } from './retryAfterMs.ts'

const now = Date.UTC(2026, 10, 21, 8, 49, 7)

describe('a Retry-After', () => {
  it.each([
    ['30', 30_000],
    [' 120 ', 120_000],
    ['1.5', 1_500],
    ['0', 1_000],
    ['999999999', 999_999_999_000],
  ])('of "%s" is that many seconds, and at least one', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms)
  })

  it.each(['Sat, 21 Nov 2026 08:49:37 GMT', 'Saturday, 21-Nov-26 08:49:37 GMT', 'Sat Nov 21 08:49:37 2026'])(
    'of "%s" is a date, in any of the three forms that HTTP has, whatever the zone here',
    (header) => {
      expect(retryAfterMs(header, now)).toBe(30_000)
    },
  )

  it('of a past or imminent date is a second', () => {
    for (const ms of [29_999, 30_000, 86_400_000])
      expect(retryAfterMs('Sat, 21 Nov 2026 08:49:37 GMT', now + ms)).toBe(1_000)
  })

  it("of a date is compared with this machine's clock by default", () => {
    const header = new Date(Date.now() + 60_000).toUTCString()
    const ms = retryAfterMs(header)!
    expect(ms).toBeGreaterThan(50_000)
    expect(ms).toBeLessThanOrEqual(60_000)
  })

  it.each([null, undefined, '', 'soon', '-5', '1e3', '0x10', 'Infinity', '2026-11-21', 'Sat, whenever'])(
    'of %s is ignored',
    (header) => {
      expect(retryAfterMs(header, now)).toBeUndefined()
    },
  )
})
