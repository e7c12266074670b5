import type { Clock } from './Clock.ts'

/**
 * How many consumers of a client share what it may receive ahead of their handlers: those that lately got something. One
 * thread handles it all, so that what is ahead of a thousand consumers would only wait, under its leases.
 */
export class AheadShare {
  readonly #clock: Clock
  readonly #stretchMs: number
  #stretch = 0
  /** Who got something in this stretch of time, and in the one before. */
  #busy = new Set<object>()
  #before = 0

  /** @param stretchMs how long lately is, in ms */
  constructor(clock: Clock, stretchMs: number) {
    this.#clock = clock
    this.#stretchMs = stretchMs
  }

  /** A consumer got something. */
  took(consumer: object): void {
    this.#turn()
    this.#busy.add(consumer)
  }

  /** How many share; at least one. */
  get consumers(): number {
    this.#turn()
    return Math.max(1, this.#busy.size, this.#before)
  }

  #turn(): void {
    const stretch = Math.floor(this.#clock.now() / this.#stretchMs)
    if (stretch === this.#stretch) return
    this.#before = stretch === this.#stretch + 1 ? this.#busy.size : 0
    this.#stretch = stretch
    this.#busy = new Set()
  }
}
