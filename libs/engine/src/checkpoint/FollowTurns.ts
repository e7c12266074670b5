import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'

/**
 * Has the partitions that a node follows read one after the other, with a rest after each, so that following takes a bounded share of
 * the thread from the partitions that the node owns.
 */
export class FollowTurns {
  readonly #time: Time
  /** In the order in which they asked. */
  readonly #waiting = new Set<() => Promise<void>>()
  #isBusy = false

  constructor(time: Time) {
    this.#time = time
  }

  /** Has `read`, which never fails, run in its turn. Returns the function that gives the turn up. */
  run(read: () => Promise<void>): () => void {
    this.#waiting.add(read)
    queueMicrotask(() => void this.#next())
    return () => this.#waiting.delete(read)
  }

  async #next(): Promise<void> {
    const [read] = this.#waiting
    if (this.#isBusy || read === undefined) return
    this.#isBusy = true
    this.#waiting.delete(read)
    const begunMs = this.#time.monotonicMs()
    await read()
    const tookMs = this.#time.monotonicMs() - begunMs
    this.#time.after(limits.followRest * tookMs, () => {
      this.#isBusy = false
      void this.#next()
    })
  }
}
