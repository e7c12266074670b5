import { TimeCounts, type TimeFigures } from './TimeCounts.ts'

/** How long messages of a queue took lately: since its owner took over, and for little more than a minute. */
export interface QueueTimes {
  /** From the send, delays included, to the first delivery. Absent: nothing was delivered. */
  readonly waiting?: TimeFigures
  /** From a delivery to its acknowledgement. Absent: nothing was acknowledged. */
  readonly processing?: TimeFigures
}

/** Figures of several places as one; undefined where none has any. */
export const mergeFigures = (parts: readonly (TimeFigures | undefined)[]): TimeFigures | undefined => {
  const counts = new TimeCounts()
  for (const { buckets } of parts.filter((part) => part !== undefined))
    for (let i = 0; i < buckets.length; i += 2) counts.noteIn(buckets[i]!, buckets[i + 1]!)
  return TimeCounts.figures([counts])
}

/** The times of a queue's parts as those of one queue; undefined where none has any. */
export const mergeTimes = (parts: readonly (QueueTimes | undefined)[]): QueueTimes | undefined =>
  timesOf(
    mergeFigures(parts.map((times) => times?.waiting)),
    mergeFigures(parts.map((times) => times?.processing)),
  )

/** Both kinds together; undefined where there is neither. */
export const timesOf = (
  waiting: TimeFigures | undefined,
  processing: TimeFigures | undefined,
): QueueTimes | undefined =>
  waiting === undefined && processing === undefined
    ? undefined
    : { ...(waiting === undefined ? {} : { waiting }), ...(processing === undefined ? {} : { processing }) }
