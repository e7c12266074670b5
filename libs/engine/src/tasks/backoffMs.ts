import { limits } from '../limits.ts'

/** How long a task waits before it asks again, in ms, after it failed this many times before. */
export const backoffMs = (failures: number): number =>
  Math.min(50 * 2 ** failures, limits.forwardBackoffMsMax)
