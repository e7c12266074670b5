import { processMs } from './CpuThrottle.ts'

/** Adds up the processor time of work that goes on in spans; each is charged once. */
export class Meter {
  readonly #used: { ms: number }
  readonly #now: () => number
  #sinceMs: number

  /**
   * Begins a span.
   * @param used what the spans are added to
   * @param now processor time of the process, in ms
   */
  constructor(used: { ms: number }, now = processMs) {
    this.#used = used
    this.#now = now
    this.#sinceMs = now()
  }

  /** Charges the span so far. */
  charge(): void {
    const now = this.#now()
    this.#used.ms += now - this.#sinceMs
    this.#sinceMs = now
  }

  /** Begins a span again: what was used since the last charge was used by others. */
  resume(): void {
    this.#sinceMs = this.#now()
  }
}
