import type { Party } from './Party.ts'
import { progress } from './progress.ts'
import { TaskHeap, type Task } from './TaskHeap.ts'

/** The process's own, before the simulation takes the global ones over. */
const nextRound = setImmediate

/** Most steps of one seed; beyond that something loops. */
const stepsMax = 3_000_000
/** Steps that one round of the real event loop takes. */
const stepsPerRound = 64

/**
 * The event loop of a simulated world: one step at a time, each with everything that its promises set off, in an
 * order that depends on the seed alone. Time is a number that moves when nothing is left to do at this moment.
 */
export class Loop {
  /** Ms since the world began. */
  nowMs = 0
  /** Whose code runs. */
  current: Party | undefined
  /** Steps so far. */
  steps = 0
  #leaptMs = 0
  readonly #leaps: { readonly toMs: number; readonly ms: number }[] = []
  #order = 0
  readonly #later = new TaskHeap()
  #soon: Task[] = []
  #soonAt = 0

  /** Runs `run` in a step of its own at this moment, behind what already waits for one. */
  soon(run: () => void): () => void {
    const task: Task = { atMs: this.nowMs, order: 0, run, party: this.current }
    this.#soon.push(task)
    return () => (task.run = undefined)
  }

  /**
   * Runs `run` in a step of its own when `ms` have passed, as code of `party`; null has no party, and nothing
   * stops it.
   */
  after(ms: number, run: () => void, party: Party | null | undefined = this.current): () => void {
    const atMs = this.nowMs + Math.max(0, ms)
    const task: Task = { atMs, order: ++this.#order, run, party: party ?? undefined }
    this.#later.push(task)
    return () => (task.run = undefined)
  }

  /** Lets time pass in which nothing happens: what was due meanwhile is late. */
  leap(ms: number): void {
    this.nowMs += ms
    this.#leaptMs += ms
    this.#leaps.push({ toMs: this.nowMs, ms })
  }

  /** Ms since the world began in which something could happen. */
  get livedMs(): number {
    return this.nowMs - this.#leaptMs
  }

  /** The time when `ms` fewer of those had passed. */
  earlier(ms: number): number {
    let atMs = this.nowMs - ms
    for (const leap of this.#leaps.toReversed()) if (atMs < leap.toMs) atMs -= leap.ms
    return atMs
  }

  /** Resolves when `ms` have passed, for the running party. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  /** Runs something now, as code of `party`. */
  as<A>(party: Party, run: () => A): A {
    const before = this.current
    this.current = party
    try {
      return run()
    } finally {
      this.current = before
    }
  }

  /** Goes on until `isOver`. Errors: what a step throws, and `nothing is left to do`. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let over = false
      const step = (): void => {
        if (over) return
        try {
          if (isOver()) {
            over = true
            return resolve()
          }
          if (this.steps > stepsMax) throw new Error(`it does not come to rest within ${stepsMax} steps`)
          if (!this.#step()) throw new Error('it hangs: nothing is left to do')
        } catch (error) {
          over = true
          return reject(error as Error)
        }
        nextRound(step)
      }
      // Promises settle between two of them as well, and the round trip to the operating system is shared.
      for (let i = 0; i < stepsPerRound; i++) nextRound(step)
    })
  }

  #step(): boolean {
    for (;;) {
      const task = this.#next()
      if (task === undefined) return false
      const { run, party } = task
      if (run === undefined || party?.isDead === true) continue
      if (party !== undefined) {
        if (party.frozenUntilMs > this.nowMs) {
          task.atMs = party.frozenUntilMs
          party.lateUntilMs = Math.max(party.lateUntilMs, task.atMs)
          this.#later.push(task)
          continue
        }
        if (party.stepsLeft-- <= 0) {
          party.die()
          continue
        }
      }
      this.steps++
      Atomics.add(progress, 0, 1)
      this.current = party
      run()
      return true
    }
  }

  #next(): Task | undefined {
    if (this.#soonAt < this.#soon.length) {
      const task = this.#soon[this.#soonAt++]!
      if (this.#soonAt === this.#soon.length) {
        this.#soon = []
        this.#soonAt = 0
      }
      return task
    }
    const task = this.#later.pop()
    if (task !== undefined && task.run !== undefined) this.nowMs = Math.max(this.nowMs, task.atMs)
    return task
  }
}
