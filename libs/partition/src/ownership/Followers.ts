import { limits, type LogEvent, type PartitionUpdate } from '@kiroku/protocol'
import { TransitionCounts } from '../read/TransitionCounts.ts'
import type { PartitionState } from '../state/PartitionState.ts'

interface Follower {
  readonly counts: TransitionCounts
  /** Record up to which it was told. */
  seq: number
  askedAt: number
}

/** Who follows the partition, each told what happened since it last asked. They belong to an ownership, not to the record. */
export class Followers {
  readonly #followers = new Map<string, Follower>()

  get size(): number {
    return this.#followers.size
  }

  has(name: string): boolean {
    return this.#followers.has(name)
  }

  /** Comes by an event before it is applied. */
  event(event: LogEvent, state: PartitionState): void {
    for (const { counts } of this.#followers.values()) counts.event(event, state)
  }

  /**
   * What happened to the queues behind `since`, where that is what this follower was told last; otherwise how they
   * stand. `seq` is the record that `state` goes up to.
   */
  take(name: string, since: number, state: PartitionState, seq: number): PartitionUpdate {
    let follower = this.#followers.get(name)
    if (follower === undefined) {
      follower = { counts: new TransitionCounts(), seq: 0, askedAt: 0 }
      this.#followers.set(name, follower)
    }
    // An answer that got lost took with it what it told.
    if (follower.seq !== since) follower.counts.restart()
    follower.seq = seq
    follower.askedAt = state.at
    return { partition: state.partition, seq, at: state.at, ...follower.counts.take(state) }
  }

  /** Forgets those that have not asked for a while. */
  sweep(now: number): void {
    for (const [name, { askedAt }] of this.#followers)
      if (now - askedAt > limits.followerLingerMs) this.#followers.delete(name)
  }
}
