import type { Outages } from './Outages.ts'

/** How old the last heartbeat may be, in ms: behind an older one other nodes may take the partitions. */
const beatAgeMsMax = 3_000

/** What decides whether a node can serve. */
export interface ReadinessSources {
  /** Monotonic time in ms. */
  readonly nowMs: () => number
  /** When the last stored heartbeat of this node was sent, in monotonic ms. */
  readonly beatAtMs: () => number
  readonly outages: Pick<Outages, 'notReady' | 'hasServed'>
  /** Whether the connection to NATS is up. */
  readonly isConnected: () => boolean
  /** Asks JetStream within a second. Rejects with why it does not answer. */
  readonly check: () => Promise<void>
}

/**
 * Whether this node could serve: NATS stores, and partitions are active. A recent heartbeat proves the first, since
 * it is stored as a frame is, by a quorum; only where there is none is JetStream asked, for the reason.
 */
export class Readiness {
  readonly #o: ReadinessSources
  #asking: Promise<string> | undefined
  #isComplete = false

  constructor(sources: ReadinessSources) {
    this.#o = sources
  }

  /** Every partition had an owner that answered: from now on a node without partitions is a spare one. */
  completed(): void {
    this.#isComplete = true
  }

  /** Why this node cannot serve; undefined: it can. Takes a second at most. */
  async notReady(): Promise<string | undefined> {
    const { nowMs, beatAtMs, outages, isConnected } = this.#o
    if (!isConnected()) return 'no connection to NATS'
    if (nowMs() - beatAtMs() > beatAgeMsMax)
      return await (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)))
    if (!this.#isComplete && !outages.hasServed) return outages.notReady ?? 'the partitions have no owner yet'
    return outages.notReady
  }

  async #ask(): Promise<string> {
    try {
      await this.#o.check()
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
    const { outages, nowMs, beatAtMs } = this.#o
    // A log that fails says more than a heartbeat that does.
    if (outages.notReady !== undefined) return outages.notReady
    const ageMs = nowMs() - beatAtMs()
    return Number.isFinite(ageMs)
      ? `JetStream has stored no heartbeat of this node for ${Math.floor(ageMs / 1_000)} s: its stream has no quorum, or its store is full`
      : 'JetStream has stored no heartbeat of this node yet'
  }
}
