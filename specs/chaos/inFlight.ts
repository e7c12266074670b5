import type { SeenDelivery, SendAnswer, StoredFrame } from './History.ts'

/** Clocks of two processes of one machine agree within this, and a record's time is in whole ms. */
const clockMs = 50

/** An answer that was on its way when the server was killed has arrived by then, in ms. */
const answerGraceMs = 100

/** A kill, in ms since 1970. */
export interface Kill {
  readonly what: 'node' | 'server'
  readonly atMs: number
}

/** What `KillsInFlight` remembers of one ownership of a partition. */
interface Ownership {
  readonly epoch: number
  lastFrameMs: number
}

interface Stored {
  readonly storedMs: number
  readonly ownership: Ownership
}

/**
 * Counts the kills that came while appends were in flight, from outside. A kill counts when the log holds a frame
 * - that was stored before the kill took effect,
 * - of an ownership that stored nothing afterwards, so that this kill ended it,
 * - with a send or a delivery that this owner never answered (its node was killed), or had not answered 100 ms after
 *   the server was killed.
 * A dead owner publishes nothing and a dead server stores nothing: the frame was handed to the server, and the owner
 * did not know yet that it was stored. What was in flight and did not reach the store is not counted.
 */
export class KillsInFlight {
  readonly #ownerships = new Map<string, Ownership>()
  readonly #sends = new Map<string, Stored>()
  readonly #deliveries = new Map<string, Stored>()

  /** Takes the next frame of a partition. */
  frame({ partition, epoch, timeMs, events }: StoredFrame): void {
    const key = `${partition} ${epoch}`
    let ownership = this.#ownerships.get(key)
    if (ownership === undefined) this.#ownerships.set(key, (ownership = { epoch, lastFrameMs: timeMs }))
    ownership.lastFrameMs = Math.max(ownership.lastFrameMs, timeMs)
    const stored = { storedMs: timeMs, ownership }
    for (const event of events)
      if (event.type === 'Enqueued') this.#sends.set(`${event.producer} ${event.send}`, stored)
      else if (event.type === 'Delivered') this.#deliveries.set(`${partition} ${event.delivery}`, stored)
  }

  /** Takes deliveries that reached a consumer. */
  seen(deliveries: readonly SeenDelivery[]): void {
    for (const { partition, delivery } of deliveries) this.#deliveries.delete(`${partition} ${delivery}`)
  }

  /**
   * The kills that count.
   * @param kills in their order
   * @param answers the first answer to each send that did not have it soon
   */
  among(kills: readonly Kill[], answers: readonly SendAnswer[]): Set<Kill> {
    const found = new Set<Kill>()
    for (const { producer, send, epoch, answeredAtMs } of answers) {
      const stored = this.#sends.get(`${producer} ${send}`)
      const kill = stored && endedBy(kills, stored)
      if (kill === undefined) continue
      const unanswered =
        kill.what === 'node' ? epoch > stored!.ownership.epoch : answeredAtMs > kill.atMs + answerGraceMs
      if (unanswered) found.add(kill)
    }
    for (const stored of this.#deliveries.values()) {
      const kill = endedBy(kills, stored)
      if (kill?.what === 'node') found.add(kill)
    }
    return found
  }
}

/** The first kill behind a frame, if it ended the ownership of that frame. */
const endedBy = (kills: readonly Kill[], { storedMs, ownership }: Stored): Kill | undefined => {
  const kill = kills.find(({ atMs }) => atMs >= storedMs - clockMs)
  return kill !== undefined && ownership.lastFrameMs <= kill.atMs + clockMs ? kill : undefined
}
