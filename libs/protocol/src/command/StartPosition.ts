import { KirokuError } from '../error/KirokuError.ts'
import { isDuration, parseDurationMs } from '../settings/units.ts'

/**
 * Where a generation of a subscription begins: with what is sent from now on, with everything that is on record, with
 * a message's number in its queue, or with what arrived from a time on, in ms of partition time.
 */
export type StartPosition = 'latest' | 'earliest' | { readonly number: number } | { readonly time: number }

/** The clock by which a start position is read. */
export interface StartClock {
  /** From which durations count back. */
  readonly nowMs: number
  /** How far the clock is ahead of UTC at `utcMs`, in ms; for times that name no zone. */
  readonly offsetMs: (utcMs: number) => number
}

/**
 * Reads a start position: `latest`, `earliest`, a message's number, a time like `2026-11-21 14:00` or
 * `2026-11-21T14:00:00Z` (a day begins in UTC), or a duration ago like `2h`.
 * @param what names the value in errors
 * @throws `InvalidArgument`
 */
export const parseStart = (text: string, what: string, { nowMs, offsetMs }: StartClock): StartPosition => {
  const start = text.trim()
  if (start === 'latest' || start === 'earliest') return start
  if (/^\d+$/.test(start)) return { number: Number(start) }
  const time = timeOf(start, offsetMs)
  if (!Number.isNaN(time)) return { time }
  if (isDuration(start)) return { time: nowMs - parseDurationMs(start, what) }
  throw new KirokuError(
    'InvalidArgument',
    `${what}: "${text}" is not latest, earliest, a message's number, a time like 2026-11-21T10:00:00Z, or a duration like 2h`,
  )
}

const timeOf = (text: string, offsetMs: StartClock['offsetMs']): number => {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return Number.NaN
  const local = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/.exec(text)
  if (local === null) return Date.parse(text.replace(/^(\S+) (\S+Z)$/, '$1T$2'))
  const utc = Date.parse(`${local[1]}T${local[2]}Z`)
  // The offset then, not the offset where it would be UTC.
  return utc - offsetMs(utc - offsetMs(utc))
}
