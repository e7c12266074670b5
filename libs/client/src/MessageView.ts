import {
  decodeEnvelope,
  type Delivery,
  type EnvelopeMeta,
  KirokuError,
  type Lineage,
  messageId,
  receipt,
} from '@kiroku/protocol'

/** What the messages of one delivery share. */
export interface DeliveryContext {
  readonly incarnation: string
  readonly partition: number
  readonly queue: string
  readonly delivery: Delivery
}

/** Keeps a byte order mark: it is part of what was sent. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)

/** Gives a message its value by a queue's schema. */
export let giveValue: (message: MessageView, value: unknown) => void

/** A message as it was delivered; bodies and receipts are decoded on demand. */
export class MessageView<T = unknown> {
  static {
    giveValue = (message, value) => void (message.#value = { value })
  }

  #value: { readonly value: unknown } | undefined
  readonly #context: DeliveryContext
  readonly #index: number
  readonly #number: number
  #envelope: { readonly meta: EnvelopeMeta; readonly body: Uint8Array } | undefined

  /** @internal */
  constructor(context: DeliveryContext, index: number, number: number) {
    this.#context = context
    this.#index = index
    this.#number = number
  }

  /** Stays the same along the lineage, also in a dead-letter queue. */
  get id(): string {
    const lineage = this.lineage
    if (lineage !== undefined) return lineage.messageId
    const { incarnation, partition, delivery } = this.#context
    return messageId({ incarnation, partition, queue: delivery.queue, number: this.#number })
  }

  /** Name of the queue it came from. */
  get queue(): string {
    return this.#context.queue
  }

  /** The body as bytes; a view, not a copy. */
  get body(): Uint8Array {
    return this.#decoded().body
  }

  /** The body as UTF-8. */
  text(): string {
    return decoder.decode(this.body)
  }

  /** The body parsed as JSON. Errors: `MalformedJson`. */
  json<T = unknown>(): T {
    try {
      return JSON.parse(withoutMark(this.text())) as T
    } catch (cause) {
      throw new KirokuError('MalformedJson', `Message ${this.id} is not JSON: ${(cause as Error).message}`, {
        cause,
      })
    }
  }

  /**
   * The schema's output for the body, in a defined queue; otherwise the body parsed as JSON. Errors:
   * `MalformedJson`.
   */
  get value(): T {
    return (this.#value ??= { value: this.json() }).value as T
  }

  /** 1 for the first delivery. */
  get attempt(): number {
    return this.#context.delivery.attempts[this.#index]!
  }

  /** Names this delivery of this message to `Client.ack` and the others. */
  get receipt(): string {
    const { incarnation, partition, delivery } = this.#context
    const { queue, sub } = delivery
    return receipt({ incarnation, partition, queue, number: this.#number, sub, delivery: delivery.delivery })
  }

  /** When the message was stored, in ms since 1970. */
  get enqueuedAt(): number {
    return this.#context.delivery.enqueuedAt[this.#index]!
  }

  /** When it was first delivered, by whatever queue of its lineage, in ms since 1970; undefined: that is not known. */
  get firstDeliveredAt(): number | undefined {
    const { attempts, firstAt, now } = this.#context.delivery
    const { deliveredAt, attempts: last = 0, attemptsBefore = 0 } = this.lineage ?? {}
    if (deliveredAt !== undefined || last + attemptsBefore > 0) return deliveredAt
    return firstAt?.[this.#index] || (attempts[this.#index] === 1 ? now : undefined)
  }

  /** End of the lease as delivered, in ms since 1970. */
  get leaseUntil(): number {
    return this.#context.delivery.leaseUntil
  }

  /** Attributes that the producer set. */
  get attributes(): Readonly<Record<string, string>> {
    return this.#decoded().meta.attributes ?? {}
  }

  /** Types of the attributes that are not plain text. */
  get attributeTypes(): Readonly<Record<string, string>> {
    return this.#decoded().meta.attributeTypes ?? {}
  }

  get contentType(): string | undefined {
    return this.#decoded().meta.contentType
  }

  /** What subscriptions filter by. */
  get tag(): string | undefined {
    return this.#decoded().meta.tag
  }

  /** Its dedup id, if the sender gave one. */
  get dedupId(): string | undefined {
    return this.#decoded().meta.dedupId
  }

  /** Message group or tenant. */
  get group(): string | undefined {
    return this.#decoded().meta.group
  }

  /** Trace context of the send in the sender's own form. */
  get traceHeader(): string | undefined {
    return this.#decoded().meta.traceHeader
  }

  /** Who sent it, as the door says that took it. */
  get sender(): string | undefined {
    return this.#decoded().meta.sender
  }

  /** W3C trace context of the send. */
  get traceparent(): string | undefined {
    return this.#decoded().meta.traceparent
  }

  /** Of forwarded messages: where they came from. */
  get lineage(): Lineage | undefined {
    return this.#decoded().meta.lineage
  }

  #decoded(): { readonly meta: EnvelopeMeta; readonly body: Uint8Array } {
    return (this.#envelope ??= decodeEnvelope(this.#context.delivery.messages[this.#index]!))
  }
}
