/** How far charts reach back: about a hundred buckets each, of whole seconds or minutes. */
export const historyRanges = [
  { key: '90s', name: '90 s', words: '90 seconds', ms: 90_000, buckets: 90 },
  { key: '15m', name: '15 min', words: '15 minutes', ms: 900_000, buckets: 90 },
  { key: '1h', name: '1 h', words: 'hour', ms: 3_600_000, buckets: 120 },
  { key: '24h', name: '24 h', words: '24 hours', ms: 86_400_000, buckets: 144 },
] as const

/** One of them. */
export type HistoryRange = (typeof historyRanges)[number]
/** Its name in the URL. */
export type HistoryRangeKey = HistoryRange['key']

/** The range that a URL names, or the first one. */
export const rangeOf = (key: string | undefined): HistoryRange =>
  historyRanges.find((range) => range.key === key) ?? historyRanges[0]
