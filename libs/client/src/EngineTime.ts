import type { Delivery } from '@kiroku/protocol'
import type { Clock } from './Clock.ts'
import { limits } from './limits.ts'

/**
 * A partition's time by the client's clock, estimated from its deliveries. Each took a while to arrive, so
 * the quickest of the last minutes is nearest to the truth, and a slower one was held up on the way.
 */
export class EngineTime {
  readonly #clock: Clock
  /** Smallest difference between the two clocks, in this span and in the one before: clocks drift apart. */
  #offsetMs = Infinity
  #offsetMsBefore = Infinity
  #spanFromMs = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** When the lease of a delivery that just arrived ends, in ms by the client's clock. */
  leaseEndMs({ now, leaseUntil }: Delivery): number {
    const nowMs = this.#clock.now()
    const spans = Math.floor((nowMs - this.#spanFromMs) / limits.offsetSpanMs)
    if (spans > 0) {
      this.#offsetMsBefore = spans === 1 ? this.#offsetMs : Infinity
      this.#offsetMs = Infinity
      this.#spanFromMs = nowMs
    }
    this.#offsetMs = Math.min(this.#offsetMs, nowMs - now)
    return leaseUntil + Math.min(this.#offsetMs, this.#offsetMsBefore)
  }

  /** Another owner has its own time. */
  forget(): void {
    this.#spanFromMs = -Infinity
  }
}
