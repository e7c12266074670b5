import {
  type Actor,
  checkQueueName,
  type CommandOf,
  KirokuError,
  messageId,
  parseMessageId,
  type PartitionDescription,
  type QueueDescription,
} from '@kiroku/protocol'
import { Administration } from './Administration.ts'
import type { Client, ConfirmClockOptions, ReceiveOptions } from './Client.ts'
import { thrownEvent, type ClientEvent } from './ClientEvent.ts'
import type { ClientOptions } from './ClientOptions.ts'
import { realClock } from './Clock.ts'
import {
  ConsumerLoop,
  type BatchHandler,
  type Consumer,
  type ConsumeOptions,
  type MessageHandler,
} from './Consumer.ts'
import { LogConnection, type OpenLog } from './LogConnection.ts'
import { marksOf } from './Marks.ts'
import type { MessageView } from './MessageView.ts'
import type { ClientContext } from './PartitionLink.ts'
import type { Stored } from './QueueRoute.ts'
import { Reachability } from './Reachability.ts'
import {
  clip,
  receivedMessages,
  releaseOf,
  type ReceivedMessage,
  type ReleaseOptions,
  type RetryOptions,
} from './ReceivedMessage.ts'
import { ReplyAddress, sendReply, type Requester, type RequesterOptions } from './Requester.ts'
import type { Revision } from './Reviser.ts'
import type { BatchOptions, OutgoingMessage, RescheduleOptions, SendOptions } from './SendOptions.ts'
import type { Settlement } from './Settler.ts'
import type { Transport } from './Transport.ts'
import { checkOptions, type OptionNames } from './checkOptions.ts'
import { encodeMessage } from './encodeMessage.ts'
import { handleEach } from './handleEach.ts'
import { limits } from './limits.ts'
import { nameOf, type QueueNamed } from './schema/defineQueue.ts'
import { fitting } from './schema/fitting.ts'
import { fittingMessages } from './schema/fittingMessages.ts'
import { settleReceipts } from './settleReceipts.ts'
import { tellOnConsole } from './tellOnConsole.ts'

/** Makes a client over a transport, which it owns from then on: `close` closes both. */
export const createClient = (transport: Transport, options: ClientOptions = {}): Client =>
  new TransportClient(transport, options)

/** A repeat that comes later than that could be stored a second time. */
const timeout = (name: string, ms: number): number => {
  if (ms >= 0 && ms <= limits.timeoutMsMax) return ms
  throw new KirokuError(
    'InvalidArgument',
    `${name} must be 0 to ${limits.timeoutMsMax} ms (10 minutes), not ${ms}`,
  )
}

class TransportClient implements Client {
  readonly queues: Administration
  readonly #context: ClientContext
  readonly #connection: LogConnection
  readonly #name: string
  readonly #actor: Actor
  readonly #id = crypto.randomUUID().slice(0, 13)
  #polls = 0
  readonly #consumers = new Set<Consumer>()
  readonly #requesters = new Set<Requester>()
  readonly #warned = new Set<string>()
  #closing: Promise<void> | undefined

  constructor(transport: Transport, options: ClientOptions) {
    const clock = options.clock ?? realClock
    const emit = emitter(options.onEvent ?? tellOnConsole)
    this.#context = {
      transport,
      clock,
      emit,
      reachability: new Reachability(clock, emit),
      sendTimeoutMs: timeout('sendTimeoutMs', options.sendTimeoutMs ?? 300_000),
      requestTimeoutMs: timeout('requestTimeoutMs', options.requestTimeoutMs ?? 30_000),
    }
    this.#name = options.name ?? `client-${this.#id}`
    this.#actor = options.actor ?? { name: 'local', origin: 'client' }
    this.#connection = new LogConnection(this.#context)
    this.queues = new Administration({
      partitionOf: async (queue) => (await this.#connection.open()).of(queue).home,
      partitions: async () => (await this.#connection.open()).partitions,
      incarnation: async () => (await this.#connection.open()).directory.incarnation,
      actor: this.#actor,
      clock,
    })
  }

  async send(to: QueueNamed, body: unknown, options: SendOptions = {}) {
    checkOptions('send', options, sendOptions)
    const queue = nameOf(to)
    const sent = typeof to === 'string' ? { ...options, body } : await fitting(to, { ...options, body })
    const log = this.#connection.log ?? (await this.#opened(queue))
    const marks = marksOf(options)
    const stored = await log.of(queue).send(encodeMessage(sent.body, marks, sent), marks)
    return { messageId: idOf(log, stored, 0) }
  }

  async sendBatch(to: QueueNamed, given: readonly OutgoingMessage<unknown>[], options: BatchOptions = {}) {
    checkOptions('sendBatch', options, batchOptions)
    for (const message of given) checkOptions('A message of sendBatch', message, outgoingMessage)
    const queue = nameOf(to)
    const messages =
      typeof to === 'string' ? given : await Promise.all(given.map((message) => fitting(to, message)))
    const log = this.#connection.log ?? (await this.#opened(queue))
    const marks = messages.map((message) => marksOf(message, options))
    const envelopes = messages.map((message, i) => encodeMessage(message.body, marks[i], message, options))
    const messageIds: string[] = []
    for (const stored of await log.of(queue).sendAll(envelopes, marks))
      for (let i = 0; i < stored.range.count; i++) messageIds.push(idOf(log, stored, i))
    return { messageIds }
  }

  async receive<T>(from: QueueNamed, options: ReceiveOptions = {}): Promise<ReceivedMessage<T>[]> {
    checkOptions('receive', options, receiveOptions)
    const queue = nameOf(from)
    const log = await this.#opened(queue)
    const { subscription, group, max = 1, mode = 'simple', signal, attemptId } = options
    const { bytesMax, waitMs, batchWaitMs, leaseMs } = options
    const command: CommandOf<'Receive'> = {
      type: 'Receive',
      queue,
      poll: this.#newPoll(),
      max,
      mode,
      consumer: this.#name,
      ...(subscription === undefined ? {} : { subscription }),
      ...(group === undefined ? {} : { group }),
      ...(attemptId === undefined ? {} : { attempt: attemptId }),
      ...(bytesMax === undefined ? {} : { bytesMax }),
      ...(waitMs === undefined ? {} : { waitMs }),
      ...(batchWaitMs === undefined ? {} : { batchWaitMs }),
      ...(leaseMs === undefined ? {} : { leaseMs }),
    }
    const taken = await log.of(queue).take(command, { signal })
    if (taken === undefined) return []
    const { partition, delivery } = taken
    const { incarnation } = log.directory
    const context = { incarnation, partition: partition.link.partition, queue, delivery }
    const messages = receivedMessages<T>(context, partition.settler)
    if (typeof from === 'string') return messages
    const { emit } = this.#context
    return fittingMessages(from, messages, {
      // It is refused without a dead-letter queue. What cannot be settled at all is delivered again.
      deadLetter: (message, error) =>
        message
          .deadLetter(error)
          .catch(() => message.retry({ delayMs: 0, error }))
          .catch(() => undefined),
      retry: (message, error) => message.retry({ error }).catch(() => undefined),
      emit,
    })
  }

  ack(receipts: string | readonly string[]) {
    return this.#settle(receipts, { type: 'Ack' })
  }

  retry(receipts: string | readonly string[], options: RetryOptions = {}) {
    return this.#settle(receipts, { type: 'Retry', delayMs: options.delayMs, error: clip(options.error) })
  }

  extend(receipts: string | readonly string[], leaseMs: number) {
    return this.#settle(receipts, { type: 'Extend', leaseMs })
  }

  async release(receipts: string | readonly string[], options: ReleaseOptions = {}) {
    return this.#settle(receipts, releaseOf(options))
  }

  deadLetter(receipts: string | readonly string[], error?: string) {
    return this.#settle(receipts, { type: 'DeadLetter', error: clip(error) })
  }

  recall(id: string, by = this.#actor) {
    return this.#revise(id, { type: 'Recall', by })
  }

  reschedule(id: string, { delayMs, at }: RescheduleOptions, by = this.#actor) {
    const dueAt = at instanceof Date ? at.getTime() : at
    return this.#revise(id, { type: 'Reschedule', delayMs, dueAt, by })
  }

  consume<T>(from: QueueNamed, handler: BatchHandler<T>, options: ConsumeOptions = {}): Consumer {
    const queue = nameOf(from)
    checkQueueName(queue)
    checkOptions('consume', options, consumeOptions)
    if (this.#closing !== undefined) throw new KirokuError('Stopped', 'The client is closed')
    const consumer = new ConsumerLoop(
      {
        queue,
        definition: typeof from === 'string' ? undefined : from,
        consumer: this.#name,
        open: async () => {
          const log = await this.#connection.open()
          return { incarnation: log.directory.incarnation, route: log.of(queue) }
        },
        newPoll: () => this.#newPoll(),
        warnings: (described) => this.#newWarnings(described),
        clock: this.#context.clock,
        emit: this.#context.emit,
      },
      handler as BatchHandler,
      options,
    )
    this.#consumers.add(consumer)
    const forget = (): void => void this.#consumers.delete(consumer)
    consumer.closed.then(forget, forget)
    return consumer
  }

  consumeEach<T>(from: QueueNamed, handler: MessageHandler<T>, options?: ConsumeOptions): Consumer {
    const queue = nameOf(from)
    const failed = (error: unknown, message: MessageView): void =>
      this.#context.emit(thrownEvent(queue, error, message, 1))
    return this.consume(from, handleEach(handler, failed), options)
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
    const { partitions } = await this.#connection.open()
    const answers = await Promise.allSettled(
      partitions.map(async ({ link }) => {
        const reply = await link.call([{ type: 'DescribePartition' }], partitionReplyMs)
        return reply.answers[0]?.ok as PartitionDescription | undefined
      }),
    )
    return answers.flatMap((answer) =>
      answer.status === 'fulfilled' && answer.value !== undefined ? [answer.value] : [],
    )
  }

  async confirmClock(clock: 'store' | 'node', { partition, by = this.#actor }: ConfirmClockOptions = {}) {
    const { partitions } = await this.#connection.open()
    if (partition !== undefined && partitions[partition] === undefined)
      throw new KirokuError('InvalidArgument', `the log has partitions 0 to ${partitions.length - 1}`)
    const asked = partitions.map((one, number) => ({ one, number }))
    return Promise.all(
      asked
        .filter(({ number }) => partition === undefined || number === partition)
        .map(async ({ one, number }) => {
          const { steppedMs } = await one.link.ask<'ConfirmClock'>({ type: 'ConfirmClock', clock, by })
          return { partition: number, steppedMs }
        }),
    )
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    const { log } = this.#connection
    const requestersClosed = Promise.all([...this.#requesters].map((requester) => requester.close()))
    await this.#within(requestersClosed, limits.closeMsMax)
    await Promise.all([...this.#consumers].map((consumer) => consumer.stop()))
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

  #opened(queue: string): Promise<OpenLog> {
    checkQueueName(queue)
    return this.#connection.open()
  }

  async #revise(id: string, revision: Revision): Promise<void> {
    const log = await this.#connection.open()
    const { incarnation, partition, queue, number } = parseMessageId(id)
    if (incarnation !== log.directory.incarnation || partition >= log.partitions.length)
      throw new KirokuError('UnknownMessage', `message "${id}" is of another log`)
    await log.partitions[partition]!.reviser.revise(queue, number, revision)
  }

  async #settle(receipts: string | readonly string[], settlement: Settlement) {
    const list = typeof receipts === 'string' ? [receipts] : receipts
    return settleReceipts(await this.#connection.open(), list, settlement)
  }

  /** Warnings that no consumer of this client was told yet. */
  async #newWarnings(described: QueueDescription): Promise<string[]> {
    const warnings = await this.queues.lossWarnings(described)
    const key = (warning: string): string => `${described.name}: ${warning}`
    const fresh = warnings.filter((warning) => !this.#warned.has(key(warning)))
    for (const warning of fresh) this.#warned.add(key(warning))
    return fresh
  }

  #newPoll(): string {
    return `${this.#id}.${++this.#polls}`
  }
}

/** Events for a listener whose own failure must not break what the client is doing; it surfaces as uncaught. */
const emitter =
  (listener: ClientOptions['onEvent']) =>
  (event: ClientEvent): void => {
    try {
      listener?.(event)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }

const batchOptions: OptionNames<BatchOptions> = {
  delayMs: true,
  attributes: true,
  tag: true,
  group: true,
  contentType: true,
  traceparent: true,
}
const sendOptions: OptionNames<SendOptions> = { ...batchOptions, dedupId: true }
const outgoingMessage: OptionNames<OutgoingMessage<unknown>> = { body: true, ...sendOptions }
const receiveOptions: OptionNames<ReceiveOptions> = {
  subscription: true,
  group: true,
  max: true,
  bytesMax: true,
  waitMs: true,
  batchWaitMs: true,
  attemptId: true,
  leaseMs: true,
  mode: true,
  signal: true,
}
const consumeOptions: OptionNames<ConsumeOptions> = {
  subscription: true,
  group: true,
  batchMessages: true,
  batchWaitMs: true,
  concurrency: true,
  retryDelayMsMax: true,
  leaseMs: true,
  renew: true,
  leaseTickMs: true,
  leaseLeftMsMin: true,
  messageTimeoutMs: true,
}

/** Time for a partition to describe itself before it is left out, in ms. */
const partitionReplyMs = 2_000

const idOf = (log: OpenLog, { partition, range }: Stored, offset: number): string =>
  messageId({
    incarnation: log.directory.incarnation,
    partition: partition.link.partition,
    queue: range.queue,
    number: range.numbers?.[offset] ?? range.first + offset,
  })
