/** What the processors of the machine have done since some moment, in ms of one processor. */
export interface Processors {
  readonly idle: number
  readonly all: number
}

/** Clocks that a budget is measured with. */
export interface CpuSources {
  /** A clock in ms. */
  readonly now: () => number
  /** Processor time that this process has used, in ms. */
  readonly own: () => number
  readonly machine: () => Processors
}

/** Share of the machine's processors above which others come first. */
const busyShare = 0.5
/** How long a reading of the processors stays valid, in ms. */
const lookMs = 250
const restMsMax = 2_000

/**
 * The processor time of a reader: as much as it can use while the machine is idle, a small share while others need it. A
 * low priority alone does not achieve that: two threads of one core, the server that is read from and the memory know no
 * priorities. All of the process counts, also what arrives and is collected while it rests; all budgets of one process
 * share its part.
 */
export class CpuBudget {
  readonly #from: CpuSources
  readonly #workShare: number
  readonly #burstMs: number
  #machine: Processors
  #ownThen: number
  #lookedAt: number
  /** Up to where what was used is paid for by rests. */
  #paidAt: number
  #paidOwn: number
  #isBusy = false

  /**
   * @param workShare share of one processor that the process takes while others use most of the machine
   * @param burstMs processor time that it may take ahead of that, in ms
   */
  constructor(from: CpuSources, workShare: number, burstMs = 0) {
    this.#from = from
    this.#burstMs = burstMs
    this.#workShare = workShare
    this.#machine = from.machine()
    this.#ownThen = this.#paidOwn = from.own()
    this.#lookedAt = this.#paidAt = from.now()
  }

  /** How long to rest before asking again, in ms; 0: go on. */
  restMs(): number {
    const now = this.#from.now()
    const own = this.#from.own()
    if (now - this.#lookedAt >= lookMs) this.#look(now, own)
    const owedMs = own - this.#paidOwn - this.#workShare * (now - this.#paidAt)
    if (this.#isBusy && owedMs > 0)
      return Math.min(restMsMax, Math.max(0, owedMs - this.#burstMs) / this.#workShare)
    // No rest is saved up for later, and nothing is owed to a machine that has time.
    this.#paidAt = now
    this.#paidOwn = own
    return 0
  }

  #look(now: number, own: number): void {
    const { idle, all } = this.#from.machine()
    const before = this.#machine
    const elapsed = all - before.all
    // A system that does not tell has nothing to be spared.
    if (elapsed > 0)
      this.#isBusy = elapsed - (idle - before.idle) - (own - this.#ownThen) > busyShare * elapsed
    this.#machine = { idle, all }
    this.#ownThen = own
    this.#lookedAt = now
  }
}
