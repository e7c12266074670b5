import { limits } from '../limits.ts'

/** How an owner judges the clocks when its time begins, in ms. */
export interface ClockVerdict {
  /** Whether an operator must say which clock is right. */
  readonly isDisputed: boolean
  /** Where partition time continues during a dispute, and where it does by the store's clock. */
  readonly heldMs: number
  readonly agreedMs: number
}

/**
 * Compares the store's clock with the node's own. Where they are further apart than machines' clocks may be, and one of
 * them asks for a step as large, neither can be trusted: a wrong step would expire leases and delays.
 * `lastMs` is the time up to which the record is certain; 0 in an empty log, which has nothing to lose.
 */
export const judgeClocks = (lastMs: number, storeMs: number, nodeMs: number): ClockVerdict => {
  const bound = limits.clockDisputeMs
  const isDisputed = Math.abs(storeMs - nodeMs) > bound && Math.max(storeMs, nodeMs) - lastMs > bound
  const isSmall = lastMs === 0 || storeMs - lastMs <= bound
  // Behind the last frame, so that what came before the dispute can be told from what comes in it.
  return {
    isDisputed,
    heldMs: isSmall ? Math.max(storeMs, lastMs + 1) : lastMs + 1,
    agreedMs: Math.max(storeMs, lastMs),
  }
}
