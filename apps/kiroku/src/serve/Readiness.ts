import { KirokuError } from '@kiroku/protocol'
import type { Outages } from './Outages.ts'

/** What decides whether a node can serve. */
export interface ReadinessSources {
  /** Monotonic time in ms. */
  readonly nowMs: () => number
  /** When the last stored heartbeat of this node was sent, in monotonic ms. */
  readonly beatAtMs: () => number
  /** How old that may be, in ms: behind an older one other nodes may take the partitions. */
  readonly deadAfterMs: number
  readonly outages: Pick<Outages, 'notReady' | 'hasServed'>
  /** Whether the connection to NATS is up. */
  readonly isConnected: () => boolean
  /** Asks JetStream within a second why it does not answer; undefined: it does. */
  readonly ask: () => Promise<KirokuError | undefined>
}

/**
 * Whether this node could serve: NATS stores, and partitions are active. A recent heartbeat proves the first, since
 * it is stored as a frame is, by a quorum; only where there is none is JetStream asked, for the reason.
 */
export class Readiness {
  readonly #o: ReadinessSources
  #asking: Promise<KirokuError | undefined> | undefined
  #isComplete = false
  /** Whether JetStream answered when it was last asked. */
  #isAnswering = true

  constructor(sources: ReadinessSources) {
    this.#o = sources
  }

  /** Every partition had an owner that answered: from now on a node without partitions is a spare one. */
  completed(): void {
    this.#isComplete = true
  }

  /** Why this node cannot serve; undefined: it can. Takes a second at most. */
  async notReady(): Promise<string | undefined> {
    const { outages } = this.#o
    const outage = await this.outage(this.#o.deadAfterMs)
    // A log that fails says more than a heartbeat that does.
    if (outage !== undefined) return (this.#isAnswering ? outages.notReady : undefined) ?? outage.message
    if (!this.#isComplete && !outages.hasServed) return outages.notReady ?? 'the partitions have no owner yet'
    return outages.notReady
  }

  /**
   * Why NATS stores nothing now; undefined: it does, as far as is known. Takes a second at most.
   *
   * @param trustMs age up to which a heartbeat proves that it does, in ms; default: half of what it may be
   */
  async outage(trustMs = this.#o.deadAfterMs / 2): Promise<KirokuError | undefined> {
    const { nowMs, beatAtMs, isConnected } = this.#o
    if (!isConnected()) return new KirokuError('NatsUnreachable', 'no connection to NATS')
    if (nowMs() - beatAtMs() <= trustMs) return undefined
    return (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)))
  }

  async #ask(): Promise<KirokuError | undefined> {
    const { nowMs, beatAtMs, deadAfterMs, ask } = this.#o
    const outage = await ask()
    this.#isAnswering = outage === undefined
    if (outage !== undefined) return outage
    const ageMs = nowMs() - beatAtMs()
    if (ageMs <= deadAfterMs) return undefined
    return new KirokuError(
      'NoQuorum',
      Number.isFinite(ageMs)
        ? `JetStream has stored no heartbeat of this node for ${Math.floor(ageMs / 1_000)} s: its stream has no quorum, or its store is full`
        : 'JetStream has stored no heartbeat of this node yet',
    )
  }
}
