import { type LogEvent, rangeTotal } from '@kiroku/protocol'

/** The cost of applying an event in a replay: one, plus one per message that it moves individually. */
export const replayCost = (e: LogEvent): number => ('numbers' in e ? 1 + rangeTotal(e.numbers) : 1)
