/** Processor time of the whole machine since some moment, in ms of one processor. */
export interface Processors {
  readonly idle: number
  readonly all: number
}

/** Clocks of a budget. */
export interface CpuSources {
  /** A clock in ms. */
  readonly now: () => number
  /** Processor time used by this process, or by the part of its work that the budget is for, in ms. */
  readonly own: () => number
  readonly machine: () => Processors
}

/** Load of the machine's processors above which others come first. */
const busyShare = 0.5
/** How long a measurement of the processors stays valid, in ms. */
const lookMs = 250
const restMsMax = 2_000

/**
 * The processor time of a reader: unlimited while the machine is idle, a small share while others need it. A
 * low priority alone does not achieve that: hyperthreads, the server that is read from and the memory bus
 * know no priorities. All work of the process counts, including network input and garbage collection during
 * pauses; all budgets of one process share its part.
 */
export class CpuBudget {
  readonly #from: CpuSources
  readonly #workShare: number
  readonly #burstMs: number
  #machine: Processors
  #ownThen: number
  #lookedAt: number
  /** Processor time up to which usage is paid for by pauses. */
  #paidAt: number
  #paidOwn: number
  #isBusy = false

  /**
   * @param workShare share of one processor for the process while others use most of the machine
   * @param burstMs processor time beyond that, once, in ms
   */
  constructor(from: CpuSources, workShare: number, burstMs = 0) {
    this.#from = from
    this.#burstMs = burstMs
    this.#workShare = workShare
    this.#machine = from.machine()
    this.#ownThen = this.#paidOwn = from.own()
    this.#lookedAt = this.#paidAt = from.now()
  }

  /** How long to pause before asking again, in ms; 0: continue. */
  restMs(): number {
    const now = this.#from.now()
    const own = this.#from.own()
    if (now - this.#lookedAt >= lookMs) this.#look(now, own)
    const owedMs = own - this.#paidOwn - this.#workShare * (now - this.#paidAt)
    if (this.#isBusy && owedMs > 0)
      return Math.min(restMsMax, Math.max(0, owedMs - this.#burstMs) / this.#workShare)
    // Pauses are not saved up, and nothing is owed to an idle machine.
    this.#paidAt = now
    this.#paidOwn = own
    return 0
  }

  #look(now: number, own: number): void {
    const { idle, all } = this.#from.machine()
    const before = this.#machine
    const elapsed = all - before.all
    // A system that reports no load is not throttled for.
    if (elapsed > 0)
      this.#isBusy = elapsed - (idle - before.idle) - (own - this.#ownThen) > busyShare * elapsed
    this.#machine = { idle, all }
    this.#ownThen = own
    this.#lookedAt = now
  }
}
