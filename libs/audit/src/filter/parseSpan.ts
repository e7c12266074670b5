import { durationUnits } from '@kiroku/protocol'

const unitMs: ReadonlyMap<string, number> = new Map(durationUnits)

/** Length in ms of the span that a time covers, by how many of its parts are given. */
const precisionMs = { day: 86_400_000, minute: 60_000, second: 1_000, ms: 1 }

/**
 * Reads a moment as the time that it covers, in ms since 1970: a day, a minute, a second or a millisecond of UTC or of
 * the zone it names, or the millisecond that long before `nowMs`. Undefined for anything else.
 */
export const parseSpan = (
  text: string,
  nowMs: number,
): { readonly from: number; readonly until: number } | undefined => {
  const ago = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text)
  if (ago !== null) {
    const from = nowMs - Math.round(Number(ago[1]) * unitMs.get(ago[2]!)!)
    return { from, until: from + 1 }
  }
  const time = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text)
  if (time === null) return undefined
  const isDay = !text.includes('T')
  const from = Date.parse(isDay || time[3] !== undefined ? text : `${text}Z`)
  if (Number.isNaN(from)) return undefined
  const { day, minute, second, ms } = precisionMs
  const length = isDay ? day : time[1] === undefined ? minute : time[2] === undefined ? second : ms
  return { from, until: from + length }
}
