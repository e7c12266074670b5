import type { SlowAnswer, StoredFrame } from './History.ts'

/** Clocks of two processes of one machine agree within this, and a record's time is in whole ms. */
const clockMs = 50

/** An answer that was on its way when the kill came has arrived by then, in ms. */
export const answerGraceMs = 250

/** What `KillsInFlight` remembers of one ownership of a partition. */
interface Ownership {
  lastFrameMs: number
}

/**
 * Counts the kills that came while appends were in flight, from outside: a kill counts when the log holds a frame
 * - that was stored before the kill took effect,
 * - of an ownership that stored nothing afterwards, so that this kill ended it,
 * - with a send that had no answer within 250 ms of the kill.
 * Neither a dead owner publishes nor a dead server stores, so the owner had handed that frame to the server and had
 * not answered for it when the kill came. What was in flight and did not reach the store is not counted.
 */
export class KillsInFlight {
  readonly #ownerships = new Map<string, Ownership>()
  readonly #stored = new Map<string, { readonly storedMs: number; readonly ownership: Ownership }>()

  /** Takes the next frame of a partition. */
  frame({ partition, epoch, timeMs, events }: StoredFrame): void {
    const key = `${partition} ${epoch}`
    let ownership = this.#ownerships.get(key)
    if (ownership === undefined) this.#ownerships.set(key, (ownership = { lastFrameMs: timeMs }))
    ownership.lastFrameMs = Math.max(ownership.lastFrameMs, timeMs)
    for (const event of events)
      if (event.type === 'Enqueued')
        this.#stored.set(`${event.producer} ${event.send}`, { storedMs: timeMs, ownership })
  }

  /**
   * The number of kills that count.
   * @param killsMs when the kills happened, in ms since 1970, in order
   */
  count(killsMs: readonly number[], answers: readonly SlowAnswer[]): number {
    const counted = new Set<number>()
    for (const { producer, send, answeredAtMs } of answers) {
      const stored = this.#stored.get(`${producer} ${send}`)
      if (stored === undefined) continue
      const killMs = killsMs.find((at) => at >= stored.storedMs - clockMs)
      if (killMs === undefined) continue
      const ended = stored.ownership.lastFrameMs <= killMs + clockMs
      if (ended && answeredAtMs > killMs + answerGraceMs) counted.add(killMs)
    }
    return counted.size
  }
}
