import { type LogEvent, rangeTotal } from '@kiroku/protocol'

/** What applying an event costs a replay: one, and one more for each message that it moves one by one. */
export const replayCost = (e: LogEvent): number => ('numbers' in e ? 1 + rangeTotal(e.numbers) : 1)
