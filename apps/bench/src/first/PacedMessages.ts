import { setTimeout } from 'node:timers/promises'

/** How much later than asked for a timer comes at most, while nothing else is to be done. */
const timerMs = 1

/**
 * Messages that are sent one by one at an even pace, whatever has become of those before, and how long each took from its send to
 * its handler. One that could not be sent when it was due counts from then, or it would hide what its sender waited for.
 */
export class PacedMessages {
  readonly #sentAt = new Map<number, number>()
  #tookMs: number[] = []
  /** Sends and arrivals that are still to come. */
  #left = 0
  #through = (): void => {}

  /** The handler has message `n`; one that comes again counts once. */
  arrived(n: number): void {
    const sentAt = this.#sentAt.get(n)
    if (sentAt === undefined) return
    this.#tookMs.push(performance.now() - sentAt)
    this.#sentAt.delete(n)
    this.#done()
  }

  readonly #done = (): void => {
    if (--this.#left === 0) this.#through()
  }

  /**
   * Sends, and waits until every send is through and every message has arrived.
   *
   * @returns how long each message took, in ms
   */
  async run(count: number, perSecond: number, send: (n: number) => Promise<unknown>): Promise<number[]> {
    this.#tookMs = []
    this.#left = 2 * count
    const { promise: all, resolve, reject } = Promise.withResolvers<void>()
    this.#through = resolve
    // It is awaited only at the end.
    all.catch(() => {})
    const startMs = performance.now()
    for (let n = 0; n < count; n++) {
      const dueMs = startMs + (n * 1_000) / perSecond
      const waitMs = dueMs - performance.now() - timerMs
      if (waitMs > 0) await setTimeout(waitMs)
      this.#sentAt.set(n, Math.min(performance.now(), dueMs))
      // Kept in a list, they would be copied by every collection, and messages would wait for that.
      send(n).then(this.#done, reject)
    }
    await all
    return this.#tookMs
  }
}
