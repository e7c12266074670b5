import {
  checkHandler,
  checkOptions,
  checkQueueName,
  KirokuError,
  type OptionRules,
  type QueueDescription,
  rule,
} from '@kiroku/protocol'
import { AheadShare } from './AheadShare.ts'
import { thrownEvent } from './ClientEvent.ts'
import {
  ConsumerLoop,
  type BatchHandler,
  type Consumer,
  type ConsumeOptions,
  type HandleBatch,
  type MessageHandler,
} from './Consumer.ts'
import type { MessageView } from './MessageView.ts'
import { handleEach } from './handleEach.ts'
import { limits } from './limits.ts'
import type { Receiver } from './receiveMessages.ts'
import { nameOf, type QueueNamed } from './schema/defineQueue.ts'

/** The running consumers of one client. */
export class Consumers {
  readonly #receiver: Receiver
  readonly #warningsOf: (queue: QueueDescription) => Promise<readonly string[]>
  readonly #running = new Set<Consumer>()
  readonly #ahead: AheadShare
  readonly #warned = new Set<string>()
  #isClosed = false

  /** @param warningsOf what is rarely intended about a queue */
  constructor(receiver: Receiver, warningsOf: (queue: QueueDescription) => Promise<readonly string[]>) {
    this.#receiver = receiver
    this.#ahead = new AheadShare(receiver.clock, limits.aheadSharedMs)
    this.#warningsOf = warningsOf
  }

  /** Starts one. Errors: `InvalidQueueName`, `InvalidArgument`, `Stopped`. */
  consume<T>(from: QueueNamed, handler: BatchHandler<T>, options?: ConsumeOptions): Consumer {
    checkHandler('consume', handler)
    return this.#start<T>(from, { handle: (batch) => handler(batch), handlesEach: false }, options)
  }

  #start<T>(
    from: QueueNamed,
    { handle, handlesEach }: { readonly handle: HandleBatch<T>; readonly handlesEach: boolean },
    options: ConsumeOptions = {},
  ): Consumer {
    const queue = nameOf(from)
    checkQueueName(queue)
    checkOptions('consume', options, consumeOptions)
    if (this.#isClosed) throw new KirokuError('Stopped', 'The client is closed')
    const { connection, consumer: name, newPoll, clock, emit } = this.#receiver
    const consumer = new ConsumerLoop(
      {
        queue,
        definition: typeof from === 'string' ? undefined : from,
        consumer: name,
        handlesEach,
        open: async () => {
          const log = await connection.open()
          return { incarnation: log.directory.incarnation, route: log.of(queue) }
        },
        newPoll,
        ahead: this.#ahead,
        warnings: (described) => this.#newWarnings(described),
        clock,
        emit,
      },
      handle as HandleBatch,
      options,
    )
    this.#running.add(consumer)
    const forget = (): void => void this.#running.delete(consumer)
    consumer.closed.then(forget, forget)
    return consumer
  }

  /** The same for a handler of single messages. */
  consumeEach<T>(from: QueueNamed, handler: MessageHandler<T>, options?: ConsumeOptions): Consumer {
    const queue = nameOf(from)
    checkHandler('consumeEach', handler)
    const failed = (error: unknown, message: MessageView): void =>
      this.#receiver.emit(thrownEvent(queue, error, message, 1))
    return this.#start(from, { handle: handleEach(handler, failed), handlesEach: true }, options)
  }

  /** Starts no more. */
  close(): void {
    this.#isClosed = true
  }

  /** Resolves when all have ended. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((consumer) => consumer.stop()))
  }

  /** Warnings that no consumer of this client has reported yet. */
  async #newWarnings(described: QueueDescription): Promise<string[]> {
    const warnings = await this.#warningsOf(described)
    const key = (warning: string): string => `${described.name}: ${warning}`
    const fresh = warnings.filter((warning) => !this.#warned.has(key(warning)))
    for (const warning of fresh) this.#warned.add(key(warning))
    return fresh
  }
}

const consumeOptions: OptionRules<ConsumeOptions> = {
  subscription: rule.text,
  group: rule.text,
  batchMessages: rule.wholeFrom(1),
  batchWaitMs: rule.milliseconds,
  concurrency: rule.wholeFrom(1),
  retryDelayMsMax: rule.milliseconds,
  renew: rule.flag,
  // How these go together is checked once the queue is known.
  leaseMs: rule.number,
  leaseTickMs: rule.number,
  leaseLeftMsMin: rule.number,
  messageTimeoutMs: rule.number,
}
