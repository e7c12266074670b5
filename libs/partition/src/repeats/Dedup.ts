import { dedupKeyBytes } from '@kiroku/protocol'
import type { QueueState } from '../state/QueueState.ts'
import { DedupKeys } from './DedupKeys.ts'

/** Keys whose time is over go at moments this far apart, in ms of partition time, so that every replay forgets the same. */
const sweepMs = 1_000

/** The keys of a partition's queues. */
export class Dedup {
  /** Keys of all queues together. */
  size = 0
  readonly #byQueue = new Map<QueueState, DedupKeys>()
  #sweepAt = Number.POSITIVE_INFINITY

  /** The message that a queue stored for a key within its window before `now`; 0: none. */
  find(queue: QueueState, keys: Uint8Array, index: number, now: number): number {
    const own = this.#byQueue.get(queue)
    return own === undefined ? 0 : own.find(keys, index * dedupKeyBytes, now - queue.config.dedupWindowMs)
  }

  /** Remembers the keys of messages from `first` on. */
  add(queue: QueueState, keys: Uint8Array, first: number, at: number): void {
    let own = this.#byQueue.get(queue)
    if (own === undefined) this.#byQueue.set(queue, (own = new DedupKeys()))
    const before = own.size
    for (let i = 0; i * dedupKeyBytes < keys.length; i++) own.add(keys, i * dedupKeyBytes, first + i, at)
    this.size += own.size - before
    this.#sweepAt = Math.min(this.#sweepAt, lastSweep(at) + sweepMs)
  }

  /** Forgets what is over; called as every frame begins. */
  sweep(at: number): void {
    if (at < this.#sweepAt) return
    for (const queue of this.#byQueue.keys()) this.expire(queue, lastSweep(at))
    this.#sweepAt = this.size === 0 ? Number.POSITIVE_INFINITY : lastSweep(at) + sweepMs
  }

  /** Forgets what is over for a queue, to the millisecond: ahead of a change of its window, and after it. */
  expire(queue: QueueState, at: number): void {
    const own = this.#byQueue.get(queue)
    if (own === undefined) return
    const before = own.size
    own.expire(at - queue.config.dedupWindowMs)
    this.size += own.size - before
    if (own.size === 0) this.#byQueue.delete(queue)
  }

  /** Forgets the key of one message, which came at `at`. */
  forget(queue: QueueState, number: number, at: number): void {
    const own = this.#byQueue.get(queue)
    if (own === undefined) return
    const before = own.size
    own.forget(number, at)
    this.size += own.size - before
    if (own.size === 0) this.#byQueue.delete(queue)
  }

  /** Moves the time of what came at `since` or later. */
  move(since: number, byMs: number): void {
    for (const own of this.#byQueue.values()) own.move(since, byMs)
  }

  /** Forgets the keys of a queue. */
  drop(queue: QueueState): void {
    this.size -= this.of(queue)?.size ?? 0
    this.#byQueue.delete(queue)
  }

  /** The keys of a queue, if it has any. */
  of(queue: QueueState): DedupKeys | undefined {
    return this.#byQueue.get(queue)
  }

  restore(queue: QueueState, keys: DedupKeys): void {
    this.#byQueue.set(queue, keys)
    this.size += keys.size
    this.#sweepAt = 0
  }

  /** When the first key of all is over, in ms of partition time; infinity when there is none. */
  get nextExpiryAt(): number {
    let at = Number.POSITIVE_INFINITY
    for (const [queue, { oldestAt }] of this.#byQueue)
      at = Math.min(at, oldestAt + queue.config.dedupWindowMs)
    return at
  }
}

const lastSweep = (at: number): number => Math.floor(at / sweepMs) * sweepMs
