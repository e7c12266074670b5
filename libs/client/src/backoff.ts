import { limits } from './limits.ts'

/**
 * Pause before a repeat: 200 ms, 400 ms, … up to 5 s, of which chance takes up to a quarter.
 * @param failures failures in a row, from 1
 * @param random chance as an argument, 0 (inclusive) to 1
 */
export const backoffMs = (failures: number, random: number): number => {
  const fullMs = Math.min(limits.backoffMsMin * 2 ** (failures - 1), limits.backoffMsMax)
  return Math.round(fullMs * (1 - random / 4))
}
