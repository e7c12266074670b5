import { limits } from '@kiroku/protocol'
import type { Subscription } from '../state/QueueState.ts'

/** When a consumer was first heard of without a long silence since, and when it last was; ms of partition time. */
interface Heard {
  since: number
  at: number
}

/**
 * Knows who receives, by the name that consumers give: since when, and who got which delivery. It belongs to an
 * ownership, not to the record, and begins empty with it.
 */
export class Consumers {
  readonly #subs = new WeakMap<Subscription, Map<string, Heard>>()
  /** Names by delivery, of the latest; the oldest first. */
  readonly #deliveries = new Map<number, string>()

  /** Comes by a receive at partition time `now`, in ms. */
  heard(sub: Subscription, consumer: string, now: number): void {
    let known = this.#subs.get(sub)
    if (known === undefined) this.#subs.set(sub, (known = new Map()))
    const before = known.get(consumer)
    if (before === undefined) {
      if (known.size >= limits.consumersKept) forgetSilent(known, now)
      if (known.size < limits.consumersKept) known.set(consumer, { since: now, at: now })
      return
    }
    if (now - before.at > limits.consumerSilenceMs) before.since = now
    before.at = now
  }

  /** Comes by a delivery. */
  delivered(delivery: number, consumer: string): void {
    const deliveries = this.#deliveries
    deliveries.set(delivery, consumer)
    if (deliveries.size > limits.consumerDeliveriesMax) deliveries.delete(deliveries.keys().next().value!)
  }

  /** Since when a consumer has been heard of; undefined where it is not known. */
  since(sub: Subscription, consumer: string): number | undefined {
    return this.#subs.get(sub)?.get(consumer)?.since
  }

  /** Who got a delivery; undefined where that is long ago, or an earlier owner made it. */
  holderOf(delivery: number): string | undefined {
    return this.#deliveries.get(delivery)
  }
}

const forgetSilent = (known: Map<string, Heard>, now: number): void => {
  for (const [consumer, { at }] of known) if (now - at > limits.consumerSilenceMs) known.delete(consumer)
}
