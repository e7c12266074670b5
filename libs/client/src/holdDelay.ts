import { inTime, limits as partitionLimits } from '@kiroku/protocol'
import type { Settlement } from './Settlement.ts'

/**
 * A verdict for the engine: a delay beyond the longest is capped, and its error says so on record; fractions
 * of a ms are rounded.
 * @param delayMsMax the longest delay, in ms
 * @returns the settlement and, where its delay was beyond the longest, that delay
 */
export const holdDelay = (
  settlement: Settlement,
  delayMsMax: number,
): { readonly settlement: Settlement; readonly beyondMs?: number } => {
  if (settlement.type !== 'Retry' && settlement.type !== 'Release') return { settlement }
  if (settlement.delayMs === undefined) return { settlement }
  const { delayMs, error } = settlement
  if (!(delayMs > delayMsMax)) return { settlement: { ...settlement, delayMs: Math.round(delayMs) } }
  const note = `a delay of ${inTime(delayMs)} was capped at the longest, ${inTime(delayMsMax)}`
  const text = error === undefined ? note : `${error.slice(0, errorMax - note.length - 2)}; ${note}`
  return { settlement: { ...settlement, delayMs: delayMsMax, error: text }, beyondMs: delayMs }
}

const errorMax = partitionLimits.errorCharactersMax
