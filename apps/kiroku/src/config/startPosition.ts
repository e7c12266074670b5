import type { StartPosition } from '@kiroku/client'
import { KirokuError, isKirokuError } from '@kiroku/protocol'
import type { FlagSpec } from '../cli/CommandSpec.ts'
import { parseDurationMs } from './units.ts'

/** The flag by which a subscription begins elsewhere than at the latest. */
export const startFlagSpec: FlagSpec = {
  name: 'start',
  kind: 'text',
  metavar: 'WHERE',
  description:
    "Where to start: latest, earliest (everything on record), a message's number in the queue, a time like 2026-11-21T10:00:00Z, or a span ago, like 2h. [default latest]",
}

/** Reads `--start`; `nowMs` is the time from which durations count back. Errors: `InvalidArgument`. */
export const parseStart = (text: string, nowMs: number): StartPosition => {
  if (text === 'latest' || text === 'earliest') return text
  if (/^\d+$/.test(text)) return { number: Number(text) }
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return { time }
  try {
    return { time: nowMs - parseDurationMs(text, '--start') }
  } catch (error) {
    if (!isKirokuError(error)) throw error
    throw new KirokuError(
      'InvalidArgument',
      `--start: "${text}" is not latest, earliest, a message's number, a time like 2026-11-21T10:00:00Z, or a duration like 2h`,
    )
  }
}
