import type { FeedUpdate } from '@kiroku/protocol'

/** What a reader reads from. */
export interface FeedSource {
  /** Whether every partition has reported, or does not answer. */
  readonly isReady: boolean
  /** Number behind the last set of changes. */
  readonly end: number
  /** What happened to one queue, or to all, from a set on; undefined when that is forgotten. */
  since(next: number, queue: string | undefined): FeedUpdate | undefined
  /** How one queue, or all, stand. */
  snapshot(queue: string | undefined): FeedUpdate
  /** Calls once when there is something new; gives back how to stop waiting. */
  onUpdate(wake: () => void): () => void
}

/** A reader of the feed, at its own speed. */
export class FeedReader {
  readonly #source: FeedSource
  readonly #queue: string | undefined
  /** Number of the set that it gets next; undefined: a snapshot. */
  #next: number | undefined

  constructor(source: FeedSource, queue: string | undefined, next: number | undefined) {
    this.#source = source
    this.#queue = queue
    this.#next = next
  }

  /** The next message; undefined when nothing changed. */
  take(): FeedUpdate | undefined {
    const source = this.#source
    if (!source.isReady) return undefined
    const changes = this.#next === undefined ? undefined : source.since(this.#next, this.#queue)
    this.#next = source.end
    if (changes === undefined) return source.snapshot(this.#queue)
    return changes.queues.length === 0 ? undefined : changes
  }

  /** Calls `run` once there is something new. Returns a function that stops waiting. */
  onUpdate(wake: () => void): () => void {
    return this.#source.onUpdate(wake)
  }
}
