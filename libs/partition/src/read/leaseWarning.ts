import { inTime, limits, type QueueConfig } from '@kiroku/protocol'
import type { Recent } from '../ownership/RecentDeliveries.ts'

/**
 * A warning where leases are far from the time that deliveries take, with the lease to set: they end while handlers
 * work, are renewed again and again, or keep what a crashed consumer held for far longer than any handler works.
 */
export const leaseWarning = (
  { took, late, renewed, ended, leaseMsMax: max, hours }: Recent,
  config: Pick<QueueConfig, 'leaseMs'>,
): string | undefined => {
  if (max > 0 && took !== undefined && took.count >= limits.shortLeaseAttemptsMin) {
    const { count, p50Ms, p99Ms } = took
    if (late >= limits.lateShareMin * count && p99Ms > max)
      return `Handlers finish after their lease of ${inTime(max)} has expired, so their messages are delivered again: ${remedy(max, 2 * p99Ms, config)}, or have consumers renew leases while they work.`
    if (p50Ms >= limits.leaseDistance * max && renewed >= limits.leaseDistance * ended)
      return `Most attempts take ${inTime(roundedDown(p50Ms))} or longer and renew their lease of ${inTime(max)} again and again, which writes an event each time: ${remedy(max, p50Ms / 5, config)}.`
  }
  const { settled, longestMs, leaseMsMin: min } = hours
  return settled >= limits.longLeaseAttemptsMin &&
    min >= limits.longLeaseMsMin &&
    min >= limits.leaseDistance * longestMs &&
    min < Number.POSITIVE_INFINITY
    ? `Attempts finish within ${inTime(rounded(longestMs))}, but messages of a crashed consumer come back only when their lease of ${inTime(min)} expires: ${remedy(min, Math.max(limits.leaseMsCalm, 2 * longestMs), config)}.`
    : undefined
}

/** What to do about leases of `leaseMs` of which each should be about `neededMs`: receives may ask for their own. */
const remedy = (leaseMs: number, neededMs: number, config: Pick<QueueConfig, 'leaseMs'>): string => {
  const needed = inTime(rounded(neededMs))
  return config.leaseMs === leaseMs
    ? `set leaseMs to ${needed}`
    : `have consumers ask for ${needed} instead, or restart those that began before leaseMs was changed`
}

const [s, min, h] = [1_000, 60_000, 3_600_000]
/** Times that people set. */
const rungs = [s, 2 * s, 5 * s, 10 * s, 15 * s, 20 * s, 30 * s].concat(
  [1, 2, 3, 5, 10, 15, 20, 30].map((n) => n * min),
  [1, 2, 3, 6, 12].map((n) => n * h),
)

/** The next round time that is not shorter; up to the longest lease. */
const rounded = (ms: number): number => rungs.find((rung) => rung >= ms) ?? limits.leaseMsMax

/** The last round time that is not longer. */
const roundedDown = (ms: number): number => rungs.findLast((rung) => rung <= ms) ?? ms
