import { parseStart, type StartPosition } from '@kiroku/protocol'
import type { FlagSpec } from '../../cli/CommandSpec.ts'

/** The flag that sets where a subscription begins. */
export const startFlagSpec: FlagSpec = {
  name: 'start',
  kind: 'text',
  metavar: 'WHERE',
  description:
    "Where to start: latest, earliest (everything on record), a message's number in the queue, a time like 2026-11-21T10:00:00Z, or a span ago, like 2h. [default latest]",
}

/** Reads `--start`; `nowMs` is the time from which durations count back. Errors: `InvalidArgument`. */
export const startOf = (text: string, nowMs: number): StartPosition =>
  parseStart(text, '--start', { nowMs, offsetMs: (utcMs) => -new Date(utcMs).getTimezoneOffset() * 60_000 })
