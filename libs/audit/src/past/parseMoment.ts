import { isDuration, isKirokuError, KirokuError, parseDurationMs } from '@kiroku/protocol'
import type { AskedMoment } from './QueueMoment.ts'

const dayMs = 86_400_000
/** Numbers this large are times in ms since 1970, like those in the API's answers: no partition ever holds that many records. */
const timeFrom = 1e12
/** The latest time that a `Date` can hold. */
const timeMax = 8.64e15

/**
 * Reads a moment: a sequence of the queue's home (`1234`) or of a partition (`3/1234`), a time in UTC
 * (`2026-11-21T14:02:31Z`, or `14:02:31` for the last time it was so late) or in ms since 1970, or a duration ago (`5m`).
 * `what` names the argument, `nowMs` is the time now. Errors: `InvalidArgument`.
 */
export const parseMoment = (text: string, what: string, nowMs: number): AskedMoment => {
  const place = /^(?:(\d+)\/)?(\d+)$/.exec(text)
  if (place !== null) {
    const seq = Number(place[2])
    if (place[1] === undefined && seq >= timeFrom && seq <= timeMax) return { time: seq }
    return place[1] === undefined ? { seq } : { seq, partition: Number(place[1]) }
  }
  const ofDay = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d{1,3})?))?$/.exec(text)
  if (ofDay !== null) {
    const ms = (Number(ofDay[1]) * 60 + Number(ofDay[2])) * 60_000 + Number(ofDay[3] ?? 0) * 1_000
    const today = nowMs - (nowMs % dayMs) + Math.round(ms)
    return { time: today <= nowMs ? today : today - dayMs }
  }
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(asUtc(text)) : Number.NaN
  if (!Number.isNaN(time)) return { time }
  try {
    return { time: nowMs - parseDurationMs(text, what) }
  } catch (error) {
    if (!isKirokuError(error) || isDuration(text)) throw error
    throw new KirokuError(
      'InvalidArgument',
      `${what}: "${text}" is not a moment; write a sequence like 1234 or 3/1234, a time like 2026-11-21T14:02:31Z or 14:02:31 (UTC), or a duration ago like 5m`,
    )
  }
}

/** A time without a zone is UTC, like all times shown. */
const asUtc = (text: string): string =>
  /T\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) ? `${text}Z` : text.replace(/^(\S+) (\S+)$/, '$1T$2Z')
