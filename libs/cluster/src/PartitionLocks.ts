import type { KvBucket } from './KvBucket.ts'
import type { Membership } from './Membership.ts'
import { lockKey, type PartitionLock } from './PartitionLock.ts'

interface HeldLock {
  revision: number
  confirmedAtMs: number
  /** How this node got it, for the log. */
  readonly reason: string
  readonly onLost: Set<(reason: string) => void>
}

/**
 * The locks of partitions. A lock changes hands only by compare-and-set on its revision, so a late write, also a
 * late release, never undoes a successor's.
 */
export class PartitionLocks {
  readonly #bucket: KvBucket<PartitionLock>
  readonly #membership: Membership
  readonly #held = new Map<number, HeldLock>()
  #attempts = 0

  constructor(bucket: KvBucket<PartitionLock>, membership: Membership) {
    this.#bucket = bucket
    this.#membership = membership
  }

  /**
   * Those of `partitions` that this node still holds as far as it knows; an unreachable NATS does not change
   * that.
   */
  stillHeld(partitions: ReadonlyArray<number>): ReadonlyArray<number> {
    return partitions.filter((partition) => this.#held.has(partition))
  }

  /** Monotonic ms up to which this node certainly held the lock; `-Infinity` when it does not. */
  confirmedAtMs(partition: number): number {
    return this.#held.get(partition)?.confirmedAtMs ?? -Infinity
  }

  /** How this node got the lock. */
  reason(partition: number): string {
    return this.#held.get(partition)?.reason ?? 'unknown'
  }

  /**
   * Calls `listener` once when the lock turns out to be another node's; at once if it is not held. Returns a
   * function that stops it.
   */
  onLost(partition: number, listener: (reason: string) => void): () => void {
    const lock = this.#held.get(partition)
    if (lock === undefined) {
      listener('the lock is not held')
      return () => {}
    }
    lock.onLost.add(listener)
    return () => lock.onLost.delete(listener)
  }

  /**
   * Takes what can be taken of `partitions`. What could not be taken, for whatever reason, is left out of the answer.
   *
   * @param signal aborts: what was taken by then is released
   */
  async acquire(partitions: ReadonlyArray<number>, signal: AbortSignal): Promise<ReadonlyArray<number>> {
    this.#attempts++
    try {
      const results = await Promise.allSettled(partitions.map((partition) => this.#take(partition)))
      const taken = partitions.filter((_, index) => {
        const result = results[index]
        return result?.status === 'fulfilled' && result.value
      })
      if (!signal.aborted) return taken
      await Promise.allSettled(taken.map((partition) => this.release(partition)))
      return []
    } finally {
      this.#attempts--
    }
  }

  async #take(partition: number): Promise<boolean> {
    if (this.#held.has(partition)) return true
    const entry = await this.#bucket.get(lockKey(partition))
    const owner = entry?.value?.owner
    const isOurs = owner === this.#membership.address
    if (owner !== undefined && !isOurs && !(await this.#membership.isGone(owner))) return false
    const reason =
      owner === undefined ? 'was free' : isOurs ? 'was held already' : `its holder ${owner} is gone`
    return this.#set(partition, entry?.revision ?? 0, reason)
  }

  /**
   * Writes this node's name at `revision`, even over its own name: no earlier write can then still take
   * effect.
   */
  async #set(partition: number, revision: number, reason: string): Promise<boolean> {
    const confirmedAtMs = this.#membership.beatAtMs
    const value = { owner: this.#membership.address }
    const ours = await this.#bucket.compareAndSet(lockKey(partition), value, revision)
    if (ours === undefined) return false
    this.#held.set(partition, { revision: ours, confirmedAtMs, reason, onLost: new Set() })
    return true
  }

  /**
   * Asks the leader whether the held locks still name this node. Called after a heartbeat, it moves
   * `confirmedAtMs` to the moment that heartbeat was sent.
   *
   * @throws KirokuError when the leader does not answer; no lock is given up for that
   */
  async confirmAll(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((partition) => this.confirm(partition)))
  }

  /**
   * The same for one lock.
   *
   * @returns whether it is held
   */
  async confirm(partition: number): Promise<boolean> {
    const lock = this.#held.get(partition)
    if (lock === undefined) return false
    const { beatAtMs } = this.#membership
    const entry = await this.#bucket.get(lockKey(partition))
    // It was released, or taken again, while the answer was on its way.
    if (this.#held.get(partition) !== lock) return this.#held.has(partition)
    const owner = entry?.value?.owner
    if (owner === this.#membership.address) {
      lock.revision = entry?.revision ?? lock.revision
      lock.confirmedAtMs = beatAtMs
      return true
    }
    if (owner === undefined) {
      const value = { owner: this.#membership.address }
      const revision = await this.#bucket.compareAndSet(lockKey(partition), value, entry?.revision ?? 0)
      if (revision === undefined) return this.confirm(partition)
      lock.revision = revision
      return true
    }
    this.#held.delete(partition)
    for (const listener of lock.onLost) listener(`the lock names ${owner}`)
    return false
  }

  /** Releases a lock if it is still held. */
  async release(partition: number): Promise<void> {
    const lock = this.#held.get(partition)
    if (lock === undefined) return
    // First, or a confirmation that finds it free would take it back.
    this.#held.delete(partition)
    try {
      await this.#bucket.delete(lockKey(partition), lock.revision)
    } catch (error) {
      this.#held.set(partition, lock)
      throw error
    }
  }

  /** Releases all locks. */
  async releaseAll(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((partition) => this.release(partition)))
  }

  /**
   * Releases locks that name this node although it does not hold them: the answer to its write was lost, and
   * by then the partition had fallen to another node.
   *
   * @param partitions how many the log has
   */
  async sweep(partitions: number): Promise<void> {
    if (this.#attempts > 0) return
    const unheld = Array.from({ length: partitions }, (_, partition) => partition).filter(
      (partition) => !this.#held.has(partition),
    )
    await Promise.all(
      unheld.map(async (partition) => {
        const entry = await this.#bucket.get(lockKey(partition))
        if (entry?.value?.owner !== this.#membership.address) return
        if (this.#attempts > 0 || this.#held.has(partition)) return
        await this.#bucket.delete(entry.key, entry.revision)
      }),
    )
  }
}
