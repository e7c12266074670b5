import type { QueueConfig } from '@kiroku/protocol'
import { shareOf } from '../spread/Spread.ts'

type Limits = Pick<QueueConfig, 'rateMax' | 'inflightMax' | 'concurrencyMax'>

/** A token is a thousand shares, so that a bucket fills by whole shares with every ms. */
const sharesPerToken = 1_000
/** A faster rate gives its tokens in portions, this many a second, rather than one at a time. */
const portionsPerSecond = 100

/**
 * What a subscription may take: messages per second, messages in flight, deliveries in flight. It
 * belongs to the ownership, not to the record; a subscription without any of these limits has none.
 */
export class Flow {
  #limits: Limits
  /** What the bucket of tokens holds, and when it was looked at; it starts empty and holds a second's worth. */
  #shares = 0
  #filledAt = unknown
  /** Since when there is room for a message. */
  openSince = 0
  #isOpen = false
  /** Messages in flight by delivery; counted only for a limit of deliveries, from when it is first asked for. */
  #deliveries: Map<number, number> | undefined
  /** When the partition looks at it next; infinity: not by time. */
  wakeAt = Number.POSITIVE_INFINITY

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** The flow of a subscription with a share in these limits, which goes on from `before`; none when nothing limits. */
  static of(
    { rateMax, inflightMax, concurrencyMax }: Limits,
    { index, of }: { readonly index: number; readonly of: number },
    before?: Flow,
  ): Flow | undefined {
    if (rateMax === 0 && inflightMax === 0 && concurrencyMax === 0) return undefined
    const limits = {
      rateMax: shareOf(rateMax, index, of),
      inflightMax: shareOf(inflightMax, index, of),
      concurrencyMax: shareOf(concurrencyMax, index, of),
    }
    if (before === undefined) return new Flow(limits)
    if (before.#limits.rateMax === 0) before.#filledAt = unknown
    before.#shares = Math.min(before.#shares, limits.rateMax * sharesPerToken)
    if (limits.concurrencyMax === 0) before.#deliveries = undefined
    before.#limits = limits
    return before
  }

  /** A copy that shares nothing. */
  copy(): Flow {
    const copy = new Flow(this.#limits)
    copy.#shares = this.#shares
    copy.#filledAt = this.#filledAt
    copy.openSince = this.openSince
    copy.#isOpen = this.#isOpen
    copy.#deliveries = this.#deliveries === undefined ? undefined : new Map(this.#deliveries)
    return copy
  }

  /** Empties the bucket: what the previous owner took from its own is unknown. */
  restart(now: number): void {
    this.#shares = 0
    this.#filledAt = now
  }

  /** Most messages that there is ever room for. */
  get roomMax(): number {
    const { rateMax, inflightMax } = this.#limits
    return Math.min(rateMax || Number.POSITIVE_INFINITY, inflightMax || Number.POSITIVE_INFINITY)
  }

  /** Whether it must be told of the deliveries that are in flight before it can say what there is room for. */
  get isUncounted(): boolean {
    return this.#limits.concurrencyMax > 0 && this.#deliveries === undefined
  }

  /** Goes on from these deliveries and the messages that are in flight with each. */
  count(deliveries: Map<number, number>): void {
    this.#deliveries = deliveries
  }

  /** Messages that may be taken now, with `inflight` in flight. */
  room(now: number, inflight: number): number {
    const { rateMax, inflightMax, concurrencyMax } = this.#limits
    let room = Number.POSITIVE_INFINITY
    let since = now
    if (rateMax > 0) {
      const firstAt = this.tokensAt(1)
      if (firstAt > 0) since = Math.min(now, firstAt)
      this.#fill(now)
      room = Math.floor(this.#shares / sharesPerToken)
    }
    if (inflightMax > 0) room = Math.min(room, Math.max(0, inflightMax - inflight))
    if (concurrencyMax > 0 && this.#deliveries!.size >= concurrencyMax) room = 0
    if (room === 0) this.#isOpen = false
    else if (!this.#isOpen) {
      this.#isOpen = true
      this.openSince = since
    }
    return room
  }

  #fill(now: number): void {
    const { rateMax } = this.#limits
    if (this.#filledAt === unknown) this.#filledAt = now
    const shares = this.#shares + (now - this.#filledAt) * rateMax
    this.#shares = Math.min(shares, rateMax * sharesPerToken)
    this.#filledAt = now
  }

  /** When the bucket holds this many tokens if none is taken; the past when it does or when nothing limits the rate. */
  tokensAt(tokens: number): number {
    const { rateMax } = this.#limits
    if (rateMax === 0 || this.#filledAt === unknown) return 0
    const short = tokens * sharesPerToken - this.#shares
    return short <= 0 ? 0 : this.#filledAt + Math.ceil(short / rateMax)
  }

  /** Tokens that are worth waiting for when there are none. */
  get portion(): number {
    return Math.max(1, Math.floor(this.#limits.rateMax / portionsPerSecond))
  }

  /** A delivery of this many messages left. */
  took(messages: number): void {
    if (this.#limits.rateMax > 0) this.#shares -= messages * sharesPerToken
  }

  /** This many messages are now in flight with a delivery. */
  entered(delivery: number, messages: number): void {
    this.#deliveries?.set(delivery, messages)
  }

  /** A message of that delivery is in flight no more. */
  left(delivery: number): void {
    const left = this.#deliveries?.get(delivery)
    if (left === undefined) return
    if (left > 1) this.#deliveries!.set(delivery, left - 1)
    else this.#deliveries!.delete(delivery)
  }
}

const unknown = -1
