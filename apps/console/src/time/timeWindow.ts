/** A span of time on a slider, in ms since 1970. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

/** How much of the record the slider spans. */
export const zooms = [
  { key: 'all', name: 'All', ms: Infinity },
  { key: '1d', name: '1 day', ms: 86_400_000 },
  { key: '1h', name: '1 hour', ms: 3_600_000 },
  { key: '10m', name: '10 min', ms: 600_000 },
  { key: '1m', name: '1 min', ms: 60_000 },
] as const

/** A span of the record of that length around a moment, moved to lie inside. */
export const windowAround = (record: TimeWindow, at: number, ms: number): TimeWindow => {
  const length = record.to - record.from
  if (ms >= length) return record
  const from = Math.min(Math.max(record.from, at - ms / 2), record.to - ms)
  return { from, to: from + ms }
}

/** A moment as a share of a window, 0 to 1. */
export const shareOf = ({ from, to }: TimeWindow, at: number): number =>
  to <= from ? 1 : Math.min(1, Math.max(0, (at - from) / (to - from)))

/** The moment at a share of a window, whole ms. */
export const momentAt = ({ from, to }: TimeWindow, share: number): number =>
  Math.round(from + Math.min(1, Math.max(0, share)) * (to - from))

/** Between two times that are written, in s. */
const tickSteps = [
  ...[1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200],
  ...[86_400, 604_800, 2_592_000],
]

/** Times to write under a window: round ones, at most `max`. */
export const ticksOf = ({ from, to }: TimeWindow, max: number): number[] => {
  const steps = tickSteps.map((s) => s * 1_000)
  const step = steps.find((ms) => (to - from) / ms <= max) ?? steps.at(-1)!
  const ticks: number[] = []
  for (let at = Math.ceil(from / step) * step; at <= to && ticks.length < max * 2; at += step) ticks.push(at)
  return ticks
}

/** A moment in the URL's form. */
export const momentText = (at: number): string => new Date(at).toISOString()

/** The time that a moment's text names; undefined if it names a record. */
export const timeIn = (text: string): number | undefined => {
  const at = /^\d{4}-/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? undefined : at
}
