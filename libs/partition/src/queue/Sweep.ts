/**
 * When retention of untouched messages and idle queues is looked at next. A pass over everything may take several
 * turns. Not part of the record.
 */
export class Sweep {
  /** Time of the next look, in ms of partition time; infinity: nothing ends. */
  at = Number.POSITIVE_INFINITY
  /** Number of the pass. */
  pass = 0
  #isUnderWay = false
  /** The earliest end that this pass came across, or that was added since it began. */
  #next = Number.POSITIVE_INFINITY

  /** Something ends at this time. */
  expect(at: number): void {
    if (at < this.at) this.at = at
    if (at < this.#next) this.#next = at
  }

  /** Ends have changed: everything is looked at again, from this time on. */
  restart(at = 0): void {
    this.#isUnderWay = false
    if (at < this.at) this.at = at
  }

  /** Begins a pass, or goes on with one that was interrupted. */
  begin(): void {
    if (this.#isUnderWay) return
    this.#isUnderWay = true
    this.pass++
    this.#next = Number.POSITIVE_INFINITY
  }

  /** This turn has looked at as much as it may; the next one goes on. */
  interrupt(now: number): void {
    this.at = now
  }

  /** All was looked at; the next pass begins when something ends, but not before this time. */
  finish(notBefore: number): void {
    this.#isUnderWay = false
    this.at = Math.max(this.#next, notBefore)
  }
}
