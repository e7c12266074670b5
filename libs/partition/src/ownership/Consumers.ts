import { ChurnMap, limits } from '@kiroku/protocol'
import type { Subscription } from '../state/QueueState.ts'

/** A consumer of one subscription. */
interface Heard {
  /** Since when it has been heard of without a long silence, in ms of partition time; undefined: it is not remembered. */
  since: number | undefined
  /** When it was heard of last. */
  at: number
  /** Messages that it holds, of deliveries that are known. */
  inflight: number
}

/** A delivery, who got it, and how many of its messages are still in flight. */
interface Holding {
  readonly delivery: number
  readonly sub: Subscription
  readonly consumer: string
  readonly heard: Heard
  inflight: number
}

/**
 * Knows who receives, by the name that consumers give: since when, and what they hold. It belongs to an ownership, not to the
 * record, and begins empty with it.
 */
export class Consumers {
  readonly #subs = new WeakMap<Subscription, Map<string, Heard>>()
  /** The latest deliveries, the oldest first. */
  readonly #deliveries = new ChurnMap<number, Holding>()
  /** The one that a message left last: the messages of a delivery are mostly settled together. */
  #last: Holding | undefined

  /** Comes by a receive at partition time `now`, in ms. */
  heard(sub: Subscription, consumer: string, now: number): void {
    const known = this.#of(sub)
    const before = known.get(consumer)
    if (before?.since === undefined) {
      if (known.size >= limits.consumersKept) forgetSilent(known, now)
      if (known.size >= limits.consumersKept) return
      if (before === undefined) known.set(consumer, { since: now, at: now, inflight: 0 })
      else Object.assign(before, { since: now, at: now })
      return
    }
    if (now - before.at > limits.consumerSilenceMs) before.since = now
    before.at = now
  }

  /** Comes by a delivery of this many messages. */
  delivered(sub: Subscription, delivery: number, consumer: string, messages: number): void {
    const known = this.#of(sub)
    let heard = known.get(consumer)
    if (heard === undefined) known.set(consumer, (heard = { since: undefined, at: 0, inflight: 0 }))
    heard.inflight += messages
    const deliveries = this.#deliveries
    deliveries.set(delivery, { delivery, sub, consumer, heard, inflight: messages })
    if (deliveries.size <= limits.consumerDeliveriesMax) return
    const oldest = deliveries.values().next().value!
    this.#let(oldest, oldest.inflight)
  }

  /** Comes by a message of the delivery that is no longer in flight. */
  left(delivery: number): void {
    let holding = this.#last
    if (holding?.delivery !== delivery) holding = this.#deliveries.get(delivery)
    if (holding === undefined) return
    this.#last = holding
    this.#let(holding, 1)
  }

  /** Consumers of the subscription, with what they hold: those that are remembered, and those that hold some. */
  of(sub: Subscription): ReadonlyMap<string, Readonly<Heard>> {
    return this.#of(sub)
  }

  #of(sub: Subscription): Map<string, Heard> {
    let known = this.#subs.get(sub)
    if (known === undefined) this.#subs.set(sub, (known = new Map()))
    return known
  }

  /** This many messages of a delivery are no longer held. */
  #let(holding: Holding, messages: number): void {
    const { delivery, sub, consumer, heard } = holding
    holding.inflight -= messages
    heard.inflight -= messages
    if (holding.inflight > 0) return
    this.#deliveries.delete(delivery)
    if (this.#last === holding) this.#last = undefined
    if (heard.inflight === 0 && heard.since === undefined) this.#of(sub).delete(consumer)
  }
}

const forgetSilent = (known: Map<string, Heard>, now: number): void => {
  for (const [consumer, { at, inflight }] of known)
    if (inflight === 0 && now - at > limits.consumerSilenceMs) known.delete(consumer)
}
