/**
 * Resolution and retention of the history, in ms: the finest first; the last one is kept as long as the
 * record.
 */
export const tiers = [
  { stepMs: 1_000, keptMs: 25 * 60_000 },
  { stepMs: 10_000, keptMs: 26 * 3_600_000 },
  { stepMs: 300_000, keptMs: Infinity },
] as const
