import { KirokuError } from '@kiroku/protocol'
import { limits } from './limits.ts'

/** How a consumer keeps its leases. */
export interface LeaseOptions {
  /** Length of a lease in ms; absent: the queue's as the consumer starts, or 60,000 with `renew: false`. */
  readonly leaseMs?: number | undefined
  /**
   * Renew leases during the work; default true. Otherwise a message times out `leaseMs` after its delivery,
   * whatever it waited for.
   */
  readonly renew?: boolean | undefined
  /** How often leases are checked, in ms; default a sixth of `leaseMs`. */
  readonly leaseTickMs?: number | undefined
  /**
   * Least that is left of a lease, in ms; default a third of `leaseMs`. A message that arrives with less is
   * given back instead of started, and a lease that would have less at the next tick is renewed.
   */
  readonly leaseLeftMsMin?: number | undefined
  /**
   * Work that takes longer than this, in ms, counts as stuck: its leases are no longer renewed and end by
   * themselves; default 12 h.
   */
  readonly messageTimeoutMs?: number | undefined
}

/** The same with everything filled in, in ms. */
export interface LeaseTimes {
  readonly leaseMs: number
  readonly renews: boolean
  readonly tickMs: number
  readonly leftMsMin: number
  readonly messageTimeoutMs: number
}

/**
 * Fills in what is absent and checks the whole. Errors: `InvalidArgument`, when leases of that length could end
 * between two ticks.
 * @param queueLeaseMs the queue's lease
 * @param leaseCapMs the longest that the queue gives, whatever is requested; 0: no cap
 */
export const leaseTimes = (options: LeaseOptions, queueLeaseMs: number, leaseCapMs = 0): LeaseTimes => {
  const { renew: renews = true } = options
  const asked = options.leaseMs ?? (renews ? queueLeaseMs : limits.fixedLeaseMs)
  const leaseMs = leaseCapMs === 0 ? asked : Math.min(asked, leaseCapMs)
  const { leaseTickMs: tickMs = leaseMs / 6, leaseLeftMsMin: leftMsMin = leaseMs / 3 } = options
  const messageTimeoutMs = options.messageTimeoutMs ?? Math.max(limits.messageTimeoutMs, leaseMs)
  if (!(tickMs > 0 && leftMsMin >= 0 && leaseMs > tickMs + leftMsMin))
    throw new KirokuError(
      'InvalidArgument',
      `A leaseMs of ${leaseMs} must be longer than leaseTickMs (${tickMs}) and leaseLeftMsMin (${leftMsMin}) together`,
    )
  if (!(messageTimeoutMs >= leaseMs))
    throw new KirokuError(
      'InvalidArgument',
      `A messageTimeoutMs of ${messageTimeoutMs} must not be shorter than the leaseMs of ${leaseMs}`,
    )
  return { leaseMs, renews, tickMs, leftMsMin, messageTimeoutMs }
}
