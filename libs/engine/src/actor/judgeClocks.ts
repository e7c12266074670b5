import { limits } from '../limits.ts'

/** What an owner makes of the clocks when its time begins, all in ms. */
export interface ClockVerdict {
  /** Whether an operator must say which clock is right. */
  readonly isDisputed: boolean
  /** Where partition time goes on meanwhile, and where it would as the store says. */
  readonly heldMs: number
  readonly agreedMs: number
}

/**
 * Holds the store's clock against the node's own. Where they are further apart than clocks of machines may be, and the
 * step that one of them asks for is as large, neither can be believed: a step that is wrong would end what waits.
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
