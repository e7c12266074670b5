import { parseStart, type StartPosition } from '@kiroku/protocol'
import { offsetMs } from '../../parts/zone.ts'

/** Where a subscription begins, as a form has it. */
export interface Start {
  readonly kind: 'latest' | 'earliest' | 'time' | 'number'
  /** A time by the chosen clock, or in UTC with a Z at its end; a duration ago; or a number. */
  readonly text: string
}

/** The same in the API's form; undefined if it cannot be read. `nowMs`: durations count back from it. */
export const startOf = ({ kind, text }: Start, nowMs = Date.now()): StartPosition | undefined => {
  if (kind === 'latest' || kind === 'earliest') return kind
  try {
    const start = parseStart(text, 'start', { nowMs, offsetMs })
    return typeof start === 'object' && kind in start ? start : undefined
  } catch {
    return undefined
  }
}
