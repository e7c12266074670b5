import type { KirokuError } from '@kiroku/protocol'
import { limits } from './limits.ts'

/**
 * Pause in ms before a repeat: 200 ms, 400 ms, … up to 5 s, minus a random part of up to a quarter, so that
 * clients that failed together do not come back together. A pause that the error asks for is the minimum; 0
 * there means at once.
 * @param failures failures in a row, from 1
 * @param random chance as an argument, 0 (inclusive) to 1
 */
export const backoffMs = (
  { retryAfterMs = -1 }: Pick<KirokuError, 'retryAfterMs'>,
  failures: number,
  random: number,
): number => {
  if (retryAfterMs === 0) return 0
  const fullMs = Math.min(limits.backoffMsMin * 2 ** (failures - 1), limits.backoffMsMax)
  return Math.max(retryAfterMs, Math.round(fullMs * (1 - random / 4)))
}
