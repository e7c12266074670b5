import { type Actor, type PartitionDescription } from '@kiroku/protocol'
import { Administration } from './Administration.ts'
import type { Client, ConfirmClockOptions, ReceiveOptions } from './Client.ts'
import { createContext, type ClientContext } from './ClientContext.ts'
import type { ClientOptions } from './ClientOptions.ts'
import type { BatchHandler, Consumer, ConsumeOptions, MessageHandler } from './Consumer.ts'
import { Consumers } from './Consumers.ts'
import { LogConnection } from './LogConnection.ts'
import type { MessageView } from './MessageView.ts'
import { ReplyAddress, sendReply } from './ReplyAddress.ts'
import type { Requester, RequesterOptions } from './Requester.ts'
import type { BatchOptions, OutgoingMessage, RescheduleOptions, SendOptions } from './SendOptions.ts'
import {
  deadLetterOf,
  releaseOf,
  type ReleaseOptions,
  retryOf,
  type RetryOptions,
  type Settlement,
} from './Settlement.ts'
import type { Transport } from './Transport.ts'
import { limits } from './limits.ts'
import {
  checkConfirmClock,
  confirmClock,
  describePartitions,
  rescheduleOf,
  revise,
} from './partitionCalls.ts'
import { receiveMessages, type Receiver } from './receiveMessages.ts'
import type { QueueNamed } from './schema/defineQueue.ts'
import { sendMessage, sendMessages } from './sendMessages.ts'
import { settleReceipts } from './settleReceipts.ts'

/** Creates a client over a transport, which it owns from then on: `close` closes both. */
export const createClient = (transport: Transport, options: ClientOptions = {}): Client =>
  new TransportClient(transport, options)

class TransportClient implements Client {
  readonly queues: Administration
  readonly #context: ClientContext
  readonly #connection: LogConnection
  readonly #actor: Actor
  readonly #receiver: Receiver
  readonly #consumers: Consumers
  readonly #requesters = new Set<Requester>()
  #closing: Promise<void> | undefined

  constructor(transport: Transport, options: ClientOptions) {
    this.#context = createContext(transport, options)
    const { clock, emit } = this.#context
    const connection = new LogConnection(this.#context)
    this.#connection = connection
    this.#actor = options.actor ?? { name: 'local', origin: 'client' }
    this.queues = new Administration({
      partitionOf: async (queue) => (await connection.open()).of(queue).home,
      partitions: async () => (await connection.open()).partitions,
      incarnation: async () => (await connection.open()).directory.incarnation,
      actor: this.#actor,
      clock,
    })
    const id = crypto.randomUUID().slice(0, 13)
    let polls = 0
    this.#receiver = {
      connection,
      consumer: options.name ?? `client-${id}`,
      newPoll: () => `${id}.${++polls}`,
      clock,
      emit,
    }
    this.#consumers = new Consumers(this.#receiver, (queue) => this.queues.lossWarnings(queue))
  }

  send(to: QueueNamed, body: unknown, options: SendOptions = {}) {
    return sendMessage(this.#connection, to, body, options)
  }

  sendBatch(to: QueueNamed, messages: readonly OutgoingMessage<unknown>[], options: BatchOptions = {}) {
    return sendMessages(this.#connection, to, messages, options)
  }

  receive<T>(from: QueueNamed, options: ReceiveOptions = {}) {
    return receiveMessages<T>(this.#receiver, from, options)
  }

  ack(receipts: string | readonly string[]) {
    return this.#settle(receipts, { type: 'Ack' })
  }

  async retry(receipts: string | readonly string[], options: RetryOptions = {}) {
    return this.#settle(receipts, retryOf(options))
  }

  extend(receipts: string | readonly string[], leaseMs: number) {
    return this.#settle(receipts, { type: 'Extend', leaseMs })
  }

  async release(receipts: string | readonly string[], options: ReleaseOptions = {}) {
    return this.#settle(receipts, releaseOf(options))
  }

  deadLetter(receipts: string | readonly string[], error?: string | Error) {
    return this.#settle(receipts, deadLetterOf(error))
  }

  async recall(id: string, by = this.#actor) {
    return revise(await this.#connection.open(), id, { type: 'Recall', by })
  }

  async reschedule(id: string, to: RescheduleOptions, by = this.#actor) {
    const revision = rescheduleOf(to, by)
    return revise(await this.#connection.open(), id, revision)
  }

  consume<T>(from: QueueNamed, handler: BatchHandler<T>, options?: ConsumeOptions): Consumer {
    return this.#consumers.consume(from, handler, options)
  }

  consumeEach<T>(from: QueueNamed, handler: MessageHandler<T>, options?: ConsumeOptions): Consumer {
    return this.#consumers.consumeEach(from, handler, options)
  }

  requester(options: RequesterOptions = {}): Requester {
    const requester = new ReplyAddress(this, this.#context.clock, this.#context.emit, options)
    this.#requesters.add(requester)
    return requester
  }

  reply(request: MessageView, body: unknown, options?: SendOptions) {
    return sendReply(this, request, body, options)
  }

  async partitions(): Promise<PartitionDescription[]> {
    return describePartitions(await this.#connection.open())
  }

  async confirmClock(clock: 'store' | 'node', options: ConfirmClockOptions = {}) {
    checkConfirmClock(options)
    const { partition, by = this.#actor } = options
    return confirmClock(await this.#connection.open(), clock, partition, by)
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#consumers.close()
    const { log } = this.#connection
    const requestersClosed = Promise.all([...this.#requesters].map((requester) => requester.close()))
    await this.#within(requestersClosed, limits.closeMsMax)
    await this.#consumers.stop()
    this.#connection.close()
    if (log !== undefined) {
      const drained = Promise.all(log.partitions.map((partition) => partition.drained()))
      await this.#within(drained, limits.closeMsMax)
      for (const partition of log.partitions) partition.close()
    }
    await this.#context.transport.close()
  }

  /** Waits for the promise, but not longer than `ms`. */
  async #within(promise: Promise<unknown>, ms: number): Promise<void> {
    const { clock } = this.#context
    let timer: unknown
    await Promise.race([promise, new Promise<void>((resolve) => (timer = clock.setTimeout(resolve, ms)))])
    clock.clearTimeout(timer)
  }

  async #settle(receipts: string | readonly string[], settlement: Settlement) {
    const list = typeof receipts === 'string' ? [receipts] : receipts
    return settleReceipts(await this.#connection.open(), list, settlement)
  }
}
