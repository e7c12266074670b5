import { windowAround, zooms, type TimeWindow } from './timeWindow.ts'

/** The window around two moments is at least this many times as long as the time between them. */
const timesMin = 2

/**
 * The window on which two moments of a record are moved: the previous one while both are in it and far enough
 * apart to distinguish, otherwise the shortest usual one with room around both.
 */
export const compareWindow = (
  record: TimeWindow,
  a: number,
  b: number,
  before: TimeWindow | undefined,
): TimeWindow => {
  const [first, last] = [Math.min(a, b), Math.max(a, b)]
  const isInside = before !== undefined && before.from <= first && last <= before.to
  if (isInside && before.from >= record.from && before.to <= record.to) return before
  const between = Math.max(1, last - first)
  const { ms } = zooms.findLast((zoom) => zoom.ms >= between * timesMin) ?? zooms[0]
  return windowAround(record, (first + last) / 2, ms)
}
