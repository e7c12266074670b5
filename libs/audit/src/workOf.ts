import type { LogEvent } from '@kiroku/protocol'
import { total } from './ranges.ts'

/** What applying an event costs a replay: one, and one more for each message that it moves one by one. */
export const workOf = (e: LogEvent): number => ('numbers' in e ? 1 + total(e.numbers) : 1)
