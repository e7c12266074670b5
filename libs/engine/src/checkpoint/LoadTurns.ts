import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'

interface Waiting {
  /** How much is asked of the partition meanwhile. */
  readonly demand: () => number
  readonly begin: () => void
}

/**
 * Has the partitions of a node loaded one after the other: they share a thread, and all at once would all be ready at the end.
 * The one that is asked for most comes first. One that takes long, because the store is slow, does not hold the others up.
 */
export class LoadTurns {
  readonly #time: Time
  readonly #waiting: Waiting[] = []
  #isBusy = false

  constructor(time: Time) {
    this.#time = time
  }

  /** Runs `load` when it is its turn. */
  async run<A>(demand: () => number, load: () => Promise<A>): Promise<A> {
    if (this.#isBusy) await new Promise<void>((begin) => this.#waiting.push({ demand, begin }))
    this.#isBusy = true
    let isOver = false
    const next = (): void => {
      if (isOver) return
      isOver = true
      cancel()
      this.#next()
    }
    const cancel = this.#time.after(limits.loadTurnMs, next)
    try {
      return await load()
    } finally {
      next()
    }
  }

  #next(): void {
    this.#isBusy = false
    const [first] = this.#waiting.toSorted((a, b) => b.demand() - a.demand())
    if (first === undefined) return
    this.#waiting.splice(this.#waiting.indexOf(first), 1)
    // Before `begin` runs on, another load must not take its turn.
    this.#isBusy = true
    first.begin()
  }
}
