import { setImmediate as nextRound } from 'node:timers/promises'

interface Timer {
  readonly atMs: number
  readonly run: () => void
}

/** Rounds of the event loop after which work that never settles counts as a defect. */
const roundsMax = 100_000

/**
 * Time that moves only when a test moves it. It fits the engine (`after`, `monotonicMs`), the client
 * (`now`, `setTimeout`, `clearTimeout`) and the memory log at once, so that one test drives all of them.
 */
export class ManualTime {
  #nowMs = 0
  /** What the machine's clock showed when this time began, in ms since 1970; a test may set it wrong. */
  wallFromMs = Date.now()
  /** By due time; of equals, the one set first. */
  readonly #timers: Timer[] = []

  /** Ms since this time began. */
  now(): number {
    return this.#nowMs
  }

  monotonicMs(): number {
    return this.#nowMs
  }

  wallMs(): number {
    return this.wallFromMs + this.#nowMs
  }

  /** Calls `run` when `ms` have passed; the returned function cancels it. */
  after(ms: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), run }
    let at = this.#timers.length
    while (at > 0 && this.#timers[at - 1]!.atMs > timer.atMs) at--
    this.#timers.splice(at, 0, timer)
    return () => {
      const found = this.#timers.indexOf(timer)
      if (found >= 0) this.#timers.splice(found, 1)
    }
  }

  setTimeout(callback: () => void, delayMs: number): unknown {
    return this.after(delayMs, callback)
  }

  clearTimeout(handle: unknown): void {
    if (typeof handle === 'function') handle()
  }

  /** Resolves when `ms` have passed. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  /**
   * Moves time on by `ms`, from timer to timer; everything that one triggers settles before the next.
   */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    await this.settle()
    for (let next = this.#timers[0]; next !== undefined && next.atMs <= untilMs; next = this.#timers[0]) {
      this.#timers.shift()
      this.#nowMs = next.atMs
      next.run()
      await this.settle()
    }
    this.#nowMs = untilMs
  }

  /** Resolves when nothing is left to do at this moment, as far as the event loop of this process knows. */
  async settle(): Promise<void> {
    for (let rounds = 0; rounds < roundsMax; rounds++) {
      await nextRound()
      if (!process.getActiveResourcesInfo().includes('Immediate')) return
    }
    throw new Error(`The event loop did not settle within ${roundsMax} rounds`)
  }
}
