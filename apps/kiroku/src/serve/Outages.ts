import type { ActorState, LockLease } from '@kiroku/engine'

/** How long a partition may be down before it is worth a warning, in ms: a take-over or a late answer is none. */
const outageMsMin = 5_000

/** A partition that does not serve, since when, and why. */
interface Outage {
  readonly partition: number
  readonly sinceMs: number
  readonly reason: string
}

/** A partition of this node. */
interface Owned {
  readonly acquiredMs: number
  readonly lease: Pick<LockLease, 'confirmedAtMs' | 'ttlMs'>
  /** Undefined: its actor runs. */
  outage: Outage | undefined
}

/**
 * Tracks which partitions of this node are down: their logs take nothing or cannot be read yet, or NATS no
 * longer confirms their locks, without which no request is answered. A quarantined one is not down: it
 * answers why it is closed.
 */
export class Outages {
  readonly #nowMs: () => number
  readonly #partitions = new Map<number, Owned>()
  #hasServed = false

  /** @param nowMs monotonic time in ms */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** This node holds the partition, under this lock. */
  owned(partition: number, lease: Owned['lease']): void {
    if (this.#partitions.has(partition)) return
    const nowMs = this.#nowMs()
    const outage = { partition, sinceMs: nowMs, reason: 'it is being taken over' }
    this.#partitions.set(partition, { acquiredMs: nowMs, lease, outage })
  }
  /** This node no longer holds the partition. */
  left(partition: number): void {
    this.#partitions.delete(partition)
  }
  /** The life of the partition's actor changed. */
  changed(partition: number, state: ActorState, reason: string): void {
    const owned = this.#partitions.get(partition)
    if (owned === undefined) return
    if (state === 'Active' || state === 'Quarantined') {
      owned.outage = undefined
      this.#hasServed = true
    } else if (state === 'Fenced' || owned.outage === undefined) this.failed(partition, reason)
  }
  /** The last failure; the partition is down since the first one. */
  failed(partition: number, reason: string): void {
    const owned = this.#partitions.get(partition)
    if (owned === undefined) return
    owned.outage = { partition, sinceMs: owned.outage?.sinceMs ?? this.#nowMs(), reason }
  }

  /** Whether a partition was ever served here. */
  get hasServed(): boolean {
    return this.#hasServed
  }
  /** Why this node serves none of its partitions now; undefined: it serves some, or has none. */
  get notReady(): string | undefined {
    const down = this.#down(0)
    const [first] = down
    if (first === undefined || down.length < this.#partitions.size) return undefined
    return `no partition of this node has served for ${this.#seconds(first)} s: ${first.reason}`
  }
  /** A sentence per partition that is down for longer than a take-over takes, while others serve. */
  get warnings(): string[] {
    const down = this.#down(outageMsMin)
    if (down.length === this.#partitions.size) return []
    return down.map(
      (outage) =>
        `partition ${outage.partition} has not served for ${this.#seconds(outage)} s: ${outage.reason}`,
    )
  }

  #seconds({ sinceMs }: Outage): number {
    return Math.max(1, Math.floor((this.#nowMs() - sinceMs) / 1_000))
  }

  /** The last to fail comes first; a lock is confirmed late now and then. */
  #down(forMs: number): Outage[] {
    const nowMs = this.#nowMs()
    const down: Outage[] = []
    for (const [partition, { acquiredMs, lease, outage }] of this.#partitions) {
      const confirmedMs = Math.max(acquiredMs, lease.confirmedAtMs())
      if (outage !== undefined && outage.sinceMs <= nowMs - forMs) down.push(outage)
      else if (confirmedMs <= nowMs - Math.max(outageMsMin, lease.ttlMs))
        down.push({ partition, sinceMs: confirmedMs, reason: 'NATS does not confirm its lock' })
    }
    return down.sort((a, b) => b.sinceMs - a.sinceMs)
  }
}
