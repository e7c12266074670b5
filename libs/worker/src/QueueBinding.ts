import type { Client } from '@kiroku/client'
import { encodeBody, type ContentType } from './body.ts'
import { delayMsOf } from './MessageBatch.ts'

/** How a Worker sends a message. */
export interface QueueSendOptions {
  /** Default `json`. */
  readonly contentType?: ContentType | undefined
  /** Seconds before it can be received, 0 to 86,400; absent: the queue's delay; 0: none. */
  readonly delaySeconds?: number | undefined
}

/** One message of `sendBatch`; its delay wins over the batch's. */
export interface MessageSendRequest<Body = unknown> extends QueueSendOptions {
  readonly body: Body
}

/** A queue's backlog. */
export interface QueueMetrics {
  readonly backlogCount: number
  /** Absent when the queue is empty. */
  readonly oldestMessageTimestamp?: Date
}

/** A producer in a Worker's `env`. */
export class QueueBinding<Body = unknown> {
  readonly #client: Client
  readonly #queue: string

  constructor(client: Client, queue: string) {
    this.#client = client
    this.#queue = queue
  }

  /** Resolves when the message is stored. */
  async send(body: Body, options: QueueSendOptions = {}): Promise<void> {
    const encoded = encodeBody(body, options.contentType)
    await this.#client.send(this.#queue, encoded.body, {
      contentType: encoded.contentType,
      delayMs: optionalDelay(options.delaySeconds),
    })
  }

  /** Resolves when all messages are stored. */
  async sendBatch(
    messages: Iterable<MessageSendRequest<Body>>,
    options: { readonly delaySeconds?: number | undefined } = {},
  ): Promise<void> {
    const outgoing = [...messages].map(({ body, contentType, delaySeconds }) => ({
      ...encodeBody(body, contentType),
      delayMs: optionalDelay(delaySeconds),
    }))
    await this.#client.sendBatch(this.#queue, outgoing, { delayMs: optionalDelay(options.delaySeconds) })
  }

  /** The queue's backlog now. */
  async metrics(): Promise<QueueMetrics> {
    const { counts, oldestAgeMs } = await this.#client.queues.describe(this.#queue)
    const backlogCount = counts.available + counts.delayed + counts.inflight + counts.waitingRetry
    return backlogCount === 0
      ? { backlogCount }
      : { backlogCount, oldestMessageTimestamp: new Date(Date.now() - oldestAgeMs) }
  }
}

const optionalDelay = (delaySeconds: number | undefined): number | undefined =>
  delaySeconds === undefined ? undefined : delayMsOf(delaySeconds)
