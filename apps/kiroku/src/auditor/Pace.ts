/** What the processors of the machine have done since some moment, in ms of one processor. */
export interface Processors {
  readonly idle: number
  readonly all: number
  /** By this process. */
  readonly own: number
}

/** Where others use more of the machine than this, work makes room for them. */
const busyShare = 0.5
/** How long a look at the processors holds, in ms. */
const lookMs = 250
const restMsMax = 2_000

/**
 * How fast a reader may go: as fast as it can where the machine has time, else so that the engine and its clients do
 * not feel it. A low priority alone does not do that: two threads of one core, the server that is read from and the
 * memory know no priorities.
 */
export class Pace {
  readonly #look: () => Processors
  readonly #now: () => number
  readonly #workShare: number
  #seen: Processors
  #seenAt: number
  #workedSince: number
  #isBusy = false

  /** `now`: a clock in ms. `workShare`: how much of one processor it takes where others use most of the machine. */
  constructor(look: () => Processors, now: () => number, workShare: number) {
    this.#look = look
    this.#now = now
    this.#workShare = workShare
    this.#seen = look()
    this.#seenAt = this.#workedSince = now()
  }

  /** How long to rest after the work since the last rest, in ms; 0: go on at once. */
  restMs(): number {
    const now = this.#now()
    if (now - this.#seenAt >= lookMs) this.#lookAgain(now)
    const worked = now - this.#workedSince
    return this.#isBusy ? Math.min(restMsMax, worked * (1 / this.#workShare - 1)) : 0
  }

  /** The rest is over. */
  rested(): void {
    this.#workedSince = this.#now()
  }

  #lookAgain(now: number): void {
    const { idle, all, own } = this.#look()
    const before = this.#seen
    const elapsed = all - before.all
    // A system that does not tell has nothing to be spared.
    if (elapsed > 0) this.#isBusy = elapsed - (idle - before.idle) - (own - before.own) > busyShare * elapsed
    this.#seen = { idle, all, own }
    this.#seenAt = now
  }
}
