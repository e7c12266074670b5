import type { FeedUpdate } from '@kiroku/protocol'
import type { FeedPart } from './FeedPart.ts'

/** What a reader reads from. */
export interface FeedSource {
  /** Whether every partition has reported, or does not answer. */
  readonly isReady: boolean
  /** Number behind the last set of changes. */
  readonly end: number
  /** What happened to some queues, or to all, from a set on; undefined when that is forgotten. */
  since(next: number, part: FeedPart | undefined): FeedUpdate | undefined
  /** How some queues, or all, stand. */
  snapshot(part: FeedPart | undefined): FeedUpdate
  /** Calls once when there is something new; gives back how to stop waiting. */
  onUpdate(wake: () => void): () => void
}

/** A reader of the feed, at its own speed. */
export class FeedReader {
  readonly #source: FeedSource
  readonly #part: FeedPart | undefined
  /** Number of the set that it gets next; undefined: a snapshot. */
  #next: number | undefined

  constructor(source: FeedSource, part: FeedPart | undefined, next: number | undefined) {
    this.#source = source
    this.#part = part
    this.#next = next
  }

  /** The next message; undefined when nothing changed. */
  take(): FeedUpdate | undefined {
    const source = this.#source
    if (!source.isReady) return undefined
    const changes = this.#next === undefined ? undefined : source.since(this.#next, this.#part)
    this.#next = source.end
    if (changes === undefined) return source.snapshot(this.#part)
    return changes.queues.length === 0 ? undefined : changes
  }

  /** Calls `run` once there is something new. Returns a function that stops waiting. */
  onUpdate(wake: () => void): () => void {
    return this.#source.onUpdate(wake)
  }
}
