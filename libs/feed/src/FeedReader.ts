import type { FeedUpdate } from '@kiroku/protocol'
import type { FeedHub } from './FeedHub.ts'

/** One who reads the feed, at a speed of its own. */
export class FeedReader {
  readonly #hub: FeedHub
  readonly #queue: string | undefined
  /** The set that it gets next; undefined: a snapshot. */
  #next: number | undefined

  constructor(hub: FeedHub, queue: string | undefined, next: number | undefined) {
    this.#hub = hub
    this.#queue = queue
    this.#next = next
  }

  /** What there is to tell now; undefined when nothing changed. */
  take(): FeedUpdate | undefined {
    const hub = this.#hub
    if (!hub.isReady) return undefined
    const changes = this.#next === undefined ? undefined : hub.since(this.#next, this.#queue)
    this.#next = hub.end
    if (changes === undefined) return hub.snapshot(this.#queue)
    return changes.queues.length === 0 ? undefined : changes
  }

  /** Calls once there is something new. Gives back how to stop waiting. */
  onUpdate(wake: () => void): () => void {
    return this.#hub.onUpdate(wake)
  }
}
