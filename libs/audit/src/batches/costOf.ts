import { TimeCounts, type BatchFigures } from '@kiroku/protocol'

/** Messages that became available at one time, in ms. */
export interface Arrival {
  readonly at: number
  readonly count: number
  /** Bytes of all of them. */
  readonly bytes: number
}

/** When a batch closes: at this many messages or bytes, or this long after its first message became available. */
export interface BatchSettings {
  readonly batchMessages: number
  readonly batchWaitMs: number
  /** Default: no limit. */
  readonly batchBytes?: number
}

/**
 * What other batch settings would have cost a consumer that always has a receive waiting. A busy consumer
 * gets fuller batches, later.
 * @param arrivals in the order of time
 */
export const costOf = (arrivals: readonly Arrival[], settings: BatchSettings): BatchFigures => {
  const { batchMessages, batchWaitMs, batchBytes = Number.POSITIVE_INFINITY } = settings
  const waits = new TimeCounts()
  let [deliveries, messages] = [0, 0]
  /** The first arrival that is not delivered, and how many of its messages are. */
  let [next, taken] = [0, 0]
  while (next < arrivals.length) {
    let closes = arrivals[next]!.at + batchWaitMs
    const parts: { readonly at: number; readonly count: number }[] = []
    let [room, bytesRoom] = [batchMessages, batchBytes]
    for (let isFull = false; !isFull && next < arrivals.length && arrivals[next]!.at <= closes;) {
      const { at, count, bytes } = arrivals[next]!
      const each = bytes / count
      // The first message goes out whatever its size.
      const fit = Math.max(parts.length === 0 ? 1 : 0, Math.floor(bytesRoom / each))
      const took = Math.min(count - taken, room, fit)
      parts.push({ at, count: took })
      room -= took
      bytesRoom -= took * each
      taken += took
      isFull = room === 0 || bytesRoom <= 0 || taken < count
      if (isFull) closes = at
      if (taken < count) break
      next++
      taken = 0
    }
    deliveries++
    for (const { at, count } of parts) {
      messages += count
      waits.note(closes - at, count)
    }
  }
  const waited = TimeCounts.figures([waits])
  return { deliveries, messages, ...(waited === undefined ? {} : { waited }) }
}
