import type { KvBucket, KvEntry } from './KvBucket.ts'
import { arrivalMsMax } from './ClusterLimits.ts'
import type { Membership } from './Membership.ts'
import { lockKey, type PartitionLock, partitionOfKey } from './PartitionLock.ts'
import type { Holder } from './planPlacement.ts'

/** A lock that this node holds. */
interface HeldLock {
  revision: number
  /** What it should say, and says unless a write is under way. */
  value: PartitionLock
  /** The stay in which this node wrote it; in a later one it may be another's by now. */
  stay: number
  /** The newest revision that the watch heard of; above `revision`, only the leader knows what is so. */
  heardRevision: number
  /** The last write of it by this node, which the next one waits for. */
  writing: Promise<unknown>
  /** How this node got it, for the log. */
  readonly reason: string
  readonly onLost: Set<(reason: string) => void>
}

/** A lock as the watch, or a write of this node, last had it. */
interface SeenLock {
  readonly value: PartitionLock | undefined
  readonly revision: number
  /** Monotonic ms since when it is so. */
  readonly sinceMs: number
}

/**
 * The locks of partitions. A lock changes hands only by compare-and-set on its revision, so a late write, also a
 * late release, never undoes a successor's.
 *
 * That a lock is still held is known from the membership's heartbeats, since nobody takes a lock of a node that is not gone. The
 * watch serves to notice at once what should not happen (a lock that was wiped or overwritten) and to see the
 * locks of others; whatever is decided by it is written by compare-and-set, so a watch that lags costs an attempt.
 */
export class PartitionLocks {
  readonly #bucket: KvBucket<PartitionLock>
  readonly #membership: Membership
  readonly #held = new Map<number, HeldLock>()
  readonly #seen = new Map<number, SeenLock>()
  /** How long locks that went with their bucket still count. */
  #graceUntilMs = -Infinity

  constructor(bucket: KvBucket<PartitionLock>, membership: Membership) {
    this.#bucket = bucket
    this.#membership = membership
  }

  /** Who holds which partition, as far as this node knows. */
  holders(): ReadonlyMap<number, Holder> {
    const nowMs = performance.now()
    const holders = new Map<number, Holder>()
    for (const [partition, { value, revision, sinceMs }] of this.#seen) {
      if (value === undefined || (revision === 0 && nowMs > this.#graceUntilMs)) continue
      const { owner, next } = value
      // Nodes of earlier versions do not say that they serve.
      const isServing = value.isServing === true || nowMs - sinceMs > arrivalMsMax
      holders.set(partition, { owner, isServing, next })
    }
    return holders
  }

  /** Those of the locks that name this node although it does not hold them. */
  unheld(): ReadonlyArray<number> {
    return [...this.#seen].flatMap(([partition, { value }]) =>
      value?.owner === this.#membership.address && !this.#held.has(partition) ? [partition] : [],
    )
  }

  /** Whether this node holds the lock, as far as it knows; an unreachable NATS does not change that. */
  isHeld(partition: number): boolean {
    return this.#held.has(partition)
  }

  /** Monotonic ms up to which this node certainly held the lock; `-Infinity` when that is not known. */
  confirmedAtMs(partition: number): number {
    return this.#held.get(partition)?.stay === this.#membership.stay ? this.#membership.beatAtMs : -Infinity
  }

  /** The bucket's revision at which this node wrote the lock last; 0 where it is not held. */
  revision(partition: number): number {
    return this.#held.get(partition)?.revision ?? 0
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
   * What the watch says of all locks. Those that are missing now, though nobody gave them up, went with their bucket: their
   * holders write them again, and have `graceMs` for it.
   */
  snapshot(entries: ReadonlyMap<string, KvEntry<PartitionLock>>, graceMs: number): void {
    const present = new Set<number>()
    const before = new Map(this.#seen)
    this.#seen.clear()
    for (const entry of entries.values()) {
      const partition = partitionOfKey(entry.key)
      if (partition === undefined) continue
      present.add(partition)
      this.#see(partition, entry, before.get(partition))
    }
    for (const [partition, lock] of this.#held) {
      const seen = this.#seen.get(partition)
      if (seen?.value?.owner !== this.#membership.address || seen.revision !== lock.revision)
        lock.heardRevision = Infinity
      this.#seen.set(partition, { value: lock.value, revision: lock.revision, sinceMs: performance.now() })
    }
    for (const [partition, { value, sinceMs }] of before)
      if (value !== undefined && !present.has(partition) && !this.#held.has(partition)) {
        this.#seen.set(partition, { value, revision: 0, sinceMs })
        this.#graceUntilMs = performance.now() + graceMs
      }
  }

  /** What the watch says of one lock. */
  heard(entry: KvEntry<PartitionLock>): void {
    const partition = partitionOfKey(entry.key)
    if (partition === undefined) return
    const lock = this.#held.get(partition)
    if (entry.revision <= (this.#seen.get(partition)?.revision ?? -1)) return
    if (lock !== undefined && entry.revision > lock.revision) {
      // Its own write, whose answer is on its way, or one that should not be there.
      lock.heardRevision = entry.revision
      return
    }
    this.#see(partition, entry, this.#seen.get(partition))
  }

  #see(
    partition: number,
    { value, revision }: Omit<KvEntry<PartitionLock>, 'key'>,
    before: SeenLock | undefined,
  ) {
    const sinceMs = before !== undefined && isSame(before.value, value) ? before.sinceMs : performance.now()
    this.#seen.set(partition, { value, revision, sinceMs })
  }

  /** What a write of this node made of a lock; the answer to it may come after news of what happened since. */
  #answered(partition: number, { value, revision }: Omit<KvEntry<PartitionLock>, 'key'>): void {
    if ((this.#seen.get(partition)?.revision ?? 0) < revision)
      this.#see(partition, { value, revision }, undefined)
  }

  /**
   * Takes a lock as it was last seen, if it is free, void, or this node's already.
   *
   * @returns whether it is held now
   * @throws KirokuError when NATS does not answer
   */
  async take(partition: number): Promise<boolean> {
    if (this.#held.has(partition)) return true
    const { value, revision = 0 } = this.#seen.get(partition) ?? {}
    const owner = value?.owner
    const isOurs = owner === this.#membership.address
    if (owner !== undefined && !isOurs && !(await this.#membership.isGone(owner))) return false
    const reason =
      owner === undefined ? 'was free' : isOurs ? 'was held already' : `its holder ${owner} is gone`
    const { stay } = this.#membership
    const ours = { owner: this.#membership.address }
    // Even over its own name: no earlier write can then still take effect.
    const written = await this.#bucket.compareAndSet(lockKey(partition), ours, revision)
    if (written === undefined) return false
    this.#held.set(partition, {
      revision: written,
      value: ours,
      stay,
      heardRevision: Math.max(written, this.#seen.get(partition)?.revision ?? 0),
      writing: Promise.resolve(),
      reason,
      onLost: new Set(),
    })
    this.#answered(partition, { value: ours, revision: written })
    return true
  }

  /** Notes in a lock that is held that its partition answers, or where it is going. */
  async note(partition: number, what: Pick<PartitionLock, 'isServing' | 'next'>): Promise<void> {
    const lock = this.#held.get(partition)
    if (lock === undefined) return
    const noted = { ...lock.value, ...what }
    if (isSame(noted, lock.value)) return
    lock.value = noted
    await this.#inTurn(lock, () => this.#write(partition, lock))
  }

  /**
   * Clears up which locks are held, where that is in doubt: those of an earlier stay are written again, so that nobody who found
   * this node gone can still take them; the leader is asked about the rest.
   *
   * @throws KirokuError when the leader does not answer; no lock is given up for that
   */
  async confirmDoubted(): Promise<void> {
    await Promise.all(
      [...this.#held].flatMap(([partition, lock]): Array<Promise<unknown>> => {
        if (lock.heardRevision > lock.revision) return [this.confirm(partition)]
        if (lock.stay === this.#membership.stay) return []
        return [this.#inTurn(lock, () => this.#write(partition, lock))]
      }),
    )
  }

  /** Does something with a lock after what was begun before. */
  #inTurn<A>(lock: HeldLock, act: () => Promise<A>): Promise<A> {
    const done = lock.writing.then(act)
    lock.writing = done.catch(() => {})
    return done
  }

  /** Writes what a lock should say, if it is at the revision that this node knows; else it is in doubt. */
  async #write(partition: number, lock: HeldLock): Promise<void> {
    if (this.#held.get(partition) !== lock) return
    const { stay } = this.#membership
    const { value, heardRevision } = lock
    // Until there is an answer, and where it is no.
    lock.heardRevision = Infinity
    const revision = await this.#bucket.compareAndSet(lockKey(partition), value, lock.revision)
    if (revision === undefined) return
    lock.revision = revision
    lock.stay = stay
    if (lock.heardRevision === Infinity)
      lock.heardRevision = heardRevision === Infinity ? revision : heardRevision
    if (this.#held.get(partition) === lock)
      this.#see(partition, { value, revision }, this.#seen.get(partition))
  }

  /**
   * Asks the leader whether a lock that is held still names this node, and takes it back where it names nobody.
   *
   * @returns whether it is held
   * @throws KirokuError when the leader does not answer
   */
  confirm(partition: number): Promise<boolean> {
    const lock = this.#held.get(partition)
    if (lock === undefined) return Promise.resolve(false)
    return this.#inTurn(lock, async () => {
      let entry: KvEntry<PartitionLock> | undefined
      let heardRevision: number
      do {
        ;({ heardRevision } = lock)
        entry = await this.#bucket.get(lockKey(partition))
        // It was released, or taken again, while the answer was on its way.
        if (this.#held.get(partition) !== lock) return this.#held.has(partition)
        // Or written again, and the answer is old.
      } while (lock.heardRevision !== heardRevision && lock.heardRevision > (entry?.revision ?? 0))
      const owner = entry?.value?.owner
      if (owner === undefined || owner === this.#membership.address) {
        lock.revision = entry?.revision ?? 0
        const isAsItShouldBe = lock.stay === this.#membership.stay && isSame(entry?.value, lock.value)
        if (!isAsItShouldBe) await this.#write(partition, lock)
        else if (lock.heardRevision === Infinity) lock.heardRevision = lock.revision
        return this.#held.has(partition)
      }
      this.#held.delete(partition)
      this.#see(partition, { value: entry?.value, revision: entry?.revision ?? 0 }, undefined)
      for (const listener of lock.onLost) listener(`the lock names ${owner}`)
      return false
    })
  }

  /**
   * Releases a lock, if it is still held.
   *
   * @throws KirokuError when NATS does not answer; it is held as before then
   */
  async release(partition: number): Promise<void> {
    const lock = this.#held.get(partition)
    if (lock === undefined) return
    await lock.writing
    if (this.#held.get(partition) !== lock) return
    // First, or a confirmation that finds it free would take it back.
    this.#held.delete(partition)
    try {
      const revision = await this.#bucket.delete(lockKey(partition), lock.revision)
      if (revision !== undefined) return this.#answered(partition, { value: undefined, revision })
    } catch (error) {
      this.#held.set(partition, lock)
      throw error
    }
    // Overwritten: by an own write whose answer was lost, or by another node.
    this.#held.set(partition, lock)
    if (await this.confirm(partition)) await this.release(partition)
  }

  /**
   * Releases a lock that names this node although it does not hold it: the answer to its write was lost.
   *
   * @throws KirokuError when NATS does not answer
   */
  async disown(partition: number): Promise<void> {
    const seen = this.#seen.get(partition)
    if (seen?.value?.owner !== this.#membership.address || this.#held.has(partition)) return
    await this.#bucket.delete(lockKey(partition), seen.revision)
  }
}

const isSame = (a: PartitionLock | undefined, b: PartitionLock | undefined): boolean =>
  a?.owner === b?.owner && a?.isServing === b?.isServing && a?.next === b?.next
