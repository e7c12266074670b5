import type { Delivery, Reply, UndeliveredItem } from '@kiroku/protocol'
import { createInbox, type NatsConnection } from '@nats-io/nats-core'

/** How long a delivery is remembered while its reply may still turn out to have no reader, in ms. */
const undeliveredMs = 5_000

/** The deliveries of a reply. */
const deliveriesOf = (reply: Reply): Delivery[] => {
  const deliveries: Delivery[] = []
  for (const { ok } of reply.answers)
    if (ok !== undefined && 'delivery' in ok && typeof ok.delivery === 'object') deliveries.push(ok.delivery)
  return deliveries
}

/**
 * Notices deliveries that the server could not hand to anyone: it then answers the publish with status 503.
 */
export class DeliveryReceipts {
  readonly #prefix = `${createInbox()}.`
  readonly #undelivered: (items: readonly UndeliveredItem[]) => void
  readonly #close: () => void
  /** Two generations: the older one is forgotten next. */
  #young = new Map<string, UndeliveredItem[]>()
  #old = new Map<string, UndeliveredItem[]>()
  #ids = 0
  #timer: NodeJS.Timeout | undefined

  constructor(nc: NatsConnection, undelivered: (items: readonly UndeliveredItem[]) => void) {
    this.#undelivered = undelivered
    const subscription = nc.subscribe(`${this.#prefix}*`, {
      callback: (error, msg) => {
        if (error === null && msg.headers?.code === 503) this.lost(msg.subject)
      },
    })
    this.#close = () => {
      if (!nc.isClosed()) subscription.unsubscribe()
    }
  }

  /** The reply subject for the message that carries a reply; undefined: the reply delivers nothing. */
  expect(reply: Reply): string | undefined {
    const items = deliveriesOf(reply).map(({ queue, sub, delivery, numbers, leaseUntil }) => ({
      queue,
      sub,
      delivery,
      numbers,
      leaseUntil,
    }))
    if (items.length === 0) return undefined
    const subject = this.#prefix + (++this.#ids).toString(36)
    this.#young.set(subject, items)
    this.#timer ??= setInterval(() => this.#age(), undeliveredMs).unref()
    return subject
  }

  /** A reply reached no one. */
  lost(subject: string): void {
    const items = this.#young.get(subject) ?? this.#old.get(subject)
    if (items === undefined) return
    this.#young.delete(subject)
    this.#old.delete(subject)
    this.#undelivered(items)
  }

  /** Of a repeated delivery, an earlier reply without a reader no longer means that it reached no one. */
  forgetRepeated(reply: Reply): void {
    for (const each of deliveriesOf(reply)) if (each.isRepeat === true) this.#forget(each)
  }

  #forget({ queue, sub, delivery }: Delivery): void {
    for (const expected of [this.#young, this.#old])
      for (const [subject, items] of expected) {
        const left = items.filter((i) => i.delivery !== delivery || i.sub !== sub || i.queue !== queue)
        if (left.length === 0) expected.delete(subject)
        else if (left.length < items.length) expected.set(subject, left)
      }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#close()
  }

  #age(): void {
    this.#old = this.#young
    this.#young = new Map()
    if (this.#old.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
