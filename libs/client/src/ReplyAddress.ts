import {
  checkOptions,
  checkQueueName,
  ChurnMap,
  isKirokuError,
  KirokuError,
  type OptionRules,
  rule,
} from '@kiroku/protocol'
import type { Client } from './Client.ts'
import type { ClientEvent } from './ClientEvent.ts'
import type { Clock } from './Clock.ts'
import type { Consumer } from './Consumer.ts'
import type { MessageView } from './MessageView.ts'
import type { Requester, RequesterOptions, RequestReplyOptions } from './Requester.ts'
import type { SendOptions } from './SendOptions.ts'
import { limits } from './limits.ts'
import { nameOf, type QueueNamed } from './schema/defineQueue.ts'
import { sendOptions } from './sendMessages.ts'

const requesterOptions: OptionRules<RequesterOptions> = { timeoutMs: rule.milliseconds, queue: rule.text }
const requestOptions: OptionRules<RequestReplyOptions> = {
  ...sendOptions,
  timeoutMs: rule.milliseconds,
  signal: rule.any,
}

interface Waiter {
  readonly resolve: (reply: MessageView) => void
  readonly fail: (error: unknown) => void
}

/**
 * A requester over a client: an address in a shared queue. An address leaves no record except the replies
 * sent there, so it begins with the first request and ends with its process.
 */
export class ReplyAddress implements Requester {
  dropped = 0
  readonly #queue: string
  /** The group that its replies have. */
  readonly #group = crypto.randomUUID()
  readonly #client: Client
  readonly #clock: Clock
  readonly #emit: (event: ClientEvent) => void
  readonly #timeoutMs: number
  readonly #waiters = new ChurnMap<string, Waiter>()
  #requests = 0
  #consumer: Promise<Consumer> | undefined
  #closing: Promise<void> | undefined

  constructor(client: Client, clock: Clock, emit: (event: ClientEvent) => void, options: RequesterOptions) {
    checkOptions('requester', options, requesterOptions)
    const { timeoutMs = limits.replyTimeoutMs, queue = 'replies' } = options
    checkQueueName(queue)
    this.#queue = queue
    this.#client = client
    this.#clock = clock
    this.#emit = emit
    this.#timeoutMs = timeoutMs
  }

  request(queue: QueueNamed, body: unknown, options: RequestReplyOptions = {}): Promise<MessageView> {
    return new Promise((resolve, reject) => {
      checkOptions('request', options, requestOptions)
      const { timeoutMs = this.#timeoutMs, signal, ...sending } = options
      if (this.#closing !== undefined) throw new KirokuError('Stopped', 'The requester is closed')
      if (signal?.aborted === true) throw signal.reason
      const id = String(++this.#requests)
      const end = (): void => {
        this.#waiters.delete(id)
        this.#clock.clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
      }
      const fail = (error: unknown): void => (end(), reject(error as Error))
      const aborted = (): void => fail(signal!.reason)
      const timedOut = (): void =>
        fail(new KirokuError('ReplyTimeout', `"${nameOf(queue)}" did not reply within ${timeoutMs} ms`))
      const timer = this.#clock.setTimeout(timedOut, timeoutMs)
      signal?.addEventListener('abort', aborted)
      this.#waiters.set(id, { resolve: (reply) => (end(), resolve(reply)), fail })
      this.#send(queue, body, id, sending).catch(fail)
    })
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    const error = new KirokuError('Stopped', 'The requester was closed before the reply came')
    for (const { fail } of [...this.#waiters.values()]) fail(error)
    const consumer = await this.#consumer?.catch(() => undefined)
    await consumer?.stop()
  }

  async #send(queue: QueueNamed, body: unknown, id: string, options: SendOptions): Promise<void> {
    await (this.#consumer ??= this.#open())
    // The request may have ended while the queue was created.
    if (!this.#waiters.has(id)) return
    const address = { replyTo: this.#queue, replyGroup: this.#group, correlationId: id }
    const attributes = { ...options.attributes, ...address }
    await this.#client.send(queue as string, body, { ...options, attributes })
  }

  async #open(): Promise<Consumer> {
    const forget = (): void => {
      this.#consumer = undefined
    }
    try {
      await this.#create()
      const consumer = this.#client.consumeEach(this.#queue, this.#take, { group: this.#group })
      // The queue was deleted: the next request creates it again.
      consumer.closed.catch(forget)
      return consumer
    } catch (error) {
      forget()
      throw error
    }
  }

  async #create(): Promise<void> {
    try {
      await this.#client.queues.create(this.#queue, {
        groups: 'fair',
        retentionMs: limits.replyRetentionMs,
        idleMs: limits.replyQueueIdleMs,
      })
    } catch (error) {
      if (!isKirokuError(error) || error.id !== 'QueueExists') throw error
      // It was created with other settings: only groups matter.
      const { config } = await this.#client.queues.describe(this.#queue)
      if (config.groups === 'none')
        throw new KirokuError(
          'InvalidConfig',
          `queue "${this.#queue}" has no groups, so that requesters cannot share it for their replies: name another one as the requester's "queue"`,
        )
    }
  }

  readonly #take = (reply: MessageView): void => {
    const { correlationId = '' } = reply.attributes
    const waiter = this.#waiters.get(correlationId)
    if (waiter !== undefined) return waiter.resolve(reply)
    this.dropped++
    this.#emit({ type: 'replyDropped', queue: this.#queue, correlationId })
  }
}

/**
 * Sends the reply to a request. Resolves to whether the reply queue exists.
 * Errors: `InvalidArgument` (the message does not ask for a reply), and those of `Client.send`.
 */
export const sendReply = async (
  client: Client,
  request: MessageView,
  body: unknown,
  options: SendOptions = {},
): Promise<boolean> => {
  const { replyTo, replyGroup, correlationId } = request.attributes
  if (replyTo === undefined || correlationId === undefined)
    throw new KirokuError('InvalidArgument', `Message ${request.id} does not ask for a reply`)
  const attributes = { ...options.attributes, correlationId }
  try {
    // A requester of an older client has its own queue, without groups.
    const group = replyGroup ?? options.group
    await client.send(replyTo, body, { ...options, attributes, group })
    return true
  } catch (error) {
    if (isKirokuError(error) && error.id === 'UnknownQueue') return false
    throw error
  }
}
