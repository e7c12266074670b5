import {
  ChurnSet,
  type CommandOf,
  KirokuError,
  limits as partitionLimits,
  type QueueConfig,
  type QueueDescription,
  type SubscriptionDescription,
  unless,
} from '@kiroku/protocol'
import { isBackPressure } from './BackPressure.ts'
import { Batch, consumedMessages, type ConsumedMessage } from './Batch.ts'
import { thrownEvent, type ClientEvent } from './ClientEvent.ts'
import type { Clock } from './Clock.ts'
import type { Lease } from './Lease.ts'
import { LeaseKeeper } from './LeaseKeeper.ts'
import { leaseTimes, type LeaseOptions } from './LeaseTimes.ts'
import { Prefetch, type PrefetchOptions } from './Prefetch.ts'
import type { QueueRoute } from './QueueRoute.ts'
import { Verdicts, type Outcome } from './Verdicts.ts'
import { backoffMs } from './backoff.ts'
import { batchByBatch, eachByEach, type Work } from './consumerLoops.ts'
import { isRetryable, toKirokuError } from './failure.ts'
import { readable } from './readable.ts'
import { holdDelay } from './holdDelay.ts'
import { limits } from './limits.ts'
import type { QueueDefinition } from './schema/defineQueue.ts'
import { fittingInBatch } from './schema/fittingInBatch.ts'

/**
 * Handles one batch: returning acknowledges what it did not settle, throwing retries it; throwing a
 * `BackPressure` gives it back with a delay.
 */
export type BatchHandler<T = unknown> = (batch: Batch<T>) => unknown

/**
 * Handles one message: returning acknowledges it, throwing retries it, throwing a `BackPressure` gives it
 * back with a delay.
 */
export type MessageHandler<T = unknown> = (message: ConsumedMessage<T>) => unknown

/** What handling a batch needs to know, beside the batch. */
export interface Handling {
  /** Whether its messages are handled one after another. */
  readonly inTurn: boolean
  /** Aborted when the consumer stops: what is not begun by then is given back. */
  readonly stopping: AbortSignal
  /** Told how many messages are through. */
  readonly ended: (count: number) => void
}

/** What a handler gets of a delivery. */
interface Handed {
  readonly lease: Lease
  readonly verdicts: Verdicts
  readonly messages: readonly ConsumedMessage[]
  readonly ended: (count: number) => void
}

/** Handles a batch, as `BatchHandler` says. */
export type HandleBatch<T = unknown> = (batch: Batch<T>, handling: Handling) => unknown

/** Settings of a consumer; absent ones are the queue's when the consumer starts. */
export interface ConsumeOptions extends LeaseOptions {
  /** Absent: `main`. */
  readonly subscription?: string | undefined
  /**
   * Only messages of this group, in a queue that has groups; absent: all groups. Does not wait for a fuller
   * batch.
   */
  readonly group?: string | undefined
  /** Most messages of a batch, 1 to 1,000. */
  readonly batchMessages?: number | undefined
  /** Time in ms, from the first available message, to wait for a fuller batch; 0: none. */
  readonly batchWaitMs?: number | undefined
  /** Batches handled concurrently; default 1. `consumeEach` has that many batches of messages under way at most. */
  readonly concurrency?: number | undefined
  /** Longest delay of a retry, in ms; longer ones are capped. Default and maximum: 14 days. */
  readonly retryDelayMsMax?: number | undefined
}

/** A running consumer. */
export interface Consumer {
  /**
   * Takes no more batches, lets handlers finish for `timeoutMs` (default 10,000), releases the rest.
   * Resolves when all verdicts are stored.
   */
  stop(options?: { readonly timeoutMs?: number }): Promise<void>
  /** Settles when the consumer has ended; rejects if an error ended it. */
  readonly closed: Promise<void>
}

/** What a consumer needs of its client. */
export interface ConsumerContext {
  readonly queue: string
  /** Absent: any body is accepted. */
  readonly definition?: QueueDefinition | undefined
  readonly consumer: string
  /** Whether its handler is one of single messages. */
  readonly handlesEach: boolean
  /** Where the queue is, once the log is known. */
  readonly open: () => Promise<{ readonly incarnation: string; readonly route: QueueRoute }>
  readonly newPoll: () => string
  /** What the client receives ahead of handlers. */
  readonly ahead: PrefetchOptions['share']
  /** Warnings about the consumed queue; called once. */
  readonly warnings: (described: QueueDescription) => Promise<readonly string[]>
  readonly clock: Clock
  readonly emit: (event: ClientEvent) => void
}

/** Length of one long poll; a new one follows at once. */
const pollWaitMs = 30_000

/** Receives and handles batches, `concurrency` at a time. */
export class ConsumerLoop implements Consumer {
  readonly closed: Promise<void>
  readonly #context: ConsumerContext
  readonly #handler: HandleBatch
  readonly #options: ConsumeOptions
  readonly #polls = new AbortController()
  /** Aborted when the handlers' time after `stop` has run out. */
  readonly #patience = new AbortController()
  readonly #settling = new ChurnSet<Promise<void>>()
  #failure: KirokuError | undefined
  #hasDeadLetter = true
  #isOrdered = false
  /** Longest delay of a retry, in ms, and whether one exceeded it. */
  readonly #delayMsMax: number
  #hasHeldDelay = false

  constructor(context: ConsumerContext, handler: HandleBatch, options: ConsumeOptions) {
    this.#context = context
    this.#handler = handler
    this.#options = options
    this.#delayMsMax = Math.min(options.retryDelayMsMax ?? Infinity, partitionLimits.delayMsMax)
    // Invalid arguments are reported at once.
    if (options.leaseMs !== undefined) leaseTimes(options, options.leaseMs)
    this.closed = this.#run()
    // Callers that do not await the end learn of it from the event.
    this.closed.catch(() => undefined)
  }

  async stop({ timeoutMs = limits.closeMsMax }: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#polls.abort(stopReason)
    const { clock } = this.#context
    const timer = clock.setTimeout(() => this.#patience.abort(stopReason), timeoutMs)
    await this.closed.catch(() => undefined)
    clock.clearTimeout(timer)
  }

  async #run(): Promise<void> {
    await this.#work().catch(this.#fail)
    await Promise.all(this.#settling)
    if (this.#failure === undefined) return
    this.#context.emit({ type: 'consumerFailed', queue: this.#context.queue, error: this.#failure })
    throw this.#failure
  }

  readonly #fail = (thrown: unknown): void => {
    if (!this.#polls.signal.aborted) this.#failure = toKirokuError(thrown)
    this.#polls.abort(stopReason)
  }

  async #work(): Promise<void> {
    const { queue, clock, emit, newPoll, ahead } = this.#context
    const { incarnation, route } = await this.#open()
    // Continues however long the engine is away.
    const options = { signal: this.#polls.signal, patienceMs: Infinity }
    const described = await route.home.link.ask<'DescribeQueue'>({ type: 'DescribeQueue', queue }, options)
    const subscription = subscriptionOf(described, this.#options.subscription)
    const { config } = subscription
    this.#hasDeadLetter = config.deadLetter !== null
    this.#isOrdered = config.groups === 'ordered'
    void this.#warn({ ...described, subscriptions: [subscription] })
    const times = leaseTimes(this.#options, config.leaseMs, config.leaseCapMs)
    const receive = this.#receive(config, times.leaseMs)
    const keeper = new LeaseKeeper(times, clock, emit)
    const { concurrency = 1 } = this.#options
    const prefetch = new Prefetch({
      route,
      receive,
      newPoll,
      handlers: concurrency,
      aheadMs: mayBeAhead(config, receive) ? Math.min(limits.aheadMs, times.leaseMs / 50) : 0,
      share: ahead,
      clock,
      failed: this.#fail,
    })
    const stop = (): void => void this.#settling.add(prefetch.stop())
    options.signal.addEventListener('abort', stop)
    if (options.signal.aborted) stop()
    const work: Work = {
      prefetch,
      keeper,
      incarnation,
      queue,
      clock,
      messagesMax: receive.max,
      // Each delivery counts towards the concurrency limit of the queue, however small, so there are no partial batches then.
      patienceMs: config.concurrencyMax === 0 ? limits.slowPatienceMs : Infinity,
      isOrdered: this.#isOrdered,
      signal: options.signal,
      handle: (lease, ended) => this.#handle(lease, keeper, prefetch, ended).catch(this.#fail),
    }
    const loop = this.#context.handlesEach ? eachByEach : batchByBatch
    await Promise.all(Array.from({ length: concurrency }, () => loop(work).catch(this.#fail)))
    keeper.stop()
  }

  async #open(): ReturnType<ConsumerContext['open']> {
    const { clock, open } = this.#context
    const { signal } = this.#polls
    for (let failures = 1; ; failures++) {
      try {
        return await unless(signal, open())
      } catch (thrown) {
        const error = toKirokuError(thrown)
        if (signal.aborted || !isRetryable(error)) throw thrown
        const pauseMs = backoffMs(error, failures, Math.random())
        await unless(signal, new Promise<void>((resolve) => clock.setTimeout(resolve, pauseMs)))
      }
    }
  }

  async #warn(described: QueueDescription): Promise<void> {
    const { queue, emit, warnings } = this.#context
    // There is no warning while the engine is away, or from a client that closes.
    const found = await warnings(described).catch(() => [])
    if (this.#polls.signal.aborted) return
    for (const warning of found) emit({ type: 'queueWarning', queue, warning })
  }

  #receive(config: QueueConfig, leaseMs: number): Omit<CommandOf<'Receive'>, 'poll'> {
    const { subscription, group, batchMessages = config.batchMessages } = this.#options
    const { batchWaitMs = group === undefined ? config.batchWaitMs : 0 } = this.#options
    return {
      type: 'Receive',
      queue: this.#context.queue,
      ...(subscription === undefined ? {} : { subscription }),
      ...(group === undefined ? {} : { group }),
      max: batchMessages,
      bytesMax: config.batchBytes,
      waitMs: pollWaitMs,
      batchWaitMs,
      leaseMs,
      mode: 'push',
      consumer: this.#context.consumer,
    }
  }

  /** @param ended told how many messages are through */
  async #handle(
    lease: Lease,
    keeper: LeaseKeeper,
    prefetch: Prefetch,
    ended = (_: number): void => {},
  ): Promise<void> {
    const { queue, emit } = this.#context
    const settle = (outcome: Outcome): Promise<void> => this.#settle(lease, keeper, prefetch, outcome)
    /** Resolves when the holds among them are stored: the next receive would overtake them and bring messages that are to be held. */
    const tell = async (outcomes: readonly Outcome[]): Promise<void> => {
      const holds: Promise<void>[] = []
      for (const { settlement, indexes } of outcomes) {
        const held = holdDelay(settlement, this.#delayMsMax)
        if (held.beyondMs !== undefined) this.#tellHeld(messages[indexes[0]!]!.id, held.beyondMs)
        const settled = settle({ settlement: held.settlement, indexes })
        if ('holdSubscription' in settlement && settlement.holdSubscription === true) holds.push(settled)
      }
      if (holds.length > 0) await prefetch.hold(Promise.all(holds))
    }
    const verdicts = new Verdicts(
      lease.size,
      (indexes) => void settle({ settlement: { type: 'Ack' }, indexes }),
      (outcomes) => void tell(outcomes),
    )
    const messages = consumedMessages(lease, verdicts)
    let outcomes: Outcome[]
    try {
      await unless(this.#patience.signal, this.#hand({ lease, verdicts, messages, ended }))
      outcomes = verdicts.finish()
    } catch (thrown) {
      const error = readable(thrown)
      if (this.#patience.signal.aborted) {
        outcomes = verdicts.abandon()
        lease.interrupt(lease.held(), stopReason)
      } else {
        emit(thrownEvent(queue, error, messages[0]!, lease.size))
        if (isBackPressure(error)) prefetch.slow()
        outcomes = verdicts.fail(error)
      }
    }
    await tell(outcomes)
  }

  /** Reported once: a back-off that outgrows the limit does so with every message. */
  #tellHeld(messageId: string, delayMs: number): void {
    if (this.#hasHeldDelay) return
    this.#hasHeldDelay = true
    const { queue, emit } = this.#context
    emit({ type: 'delayHeld', queue, messageId, delayMs, heldToMs: this.#delayMsMax })
  }

  /** Calls the handler; with what it returns. */
  #hand({ lease, verdicts, messages, ended }: Handed): unknown {
    const { definition, emit } = this.#context
    const handling = { inTurn: this.#isOrdered, stopping: this.#polls.signal, ended }
    if (definition === undefined) return this.#handler(new Batch(lease, verdicts, messages), handling)
    const delivered = { isOrdered: this.#isOrdered, hasDeadLetter: this.#hasDeadLetter, emit }
    return fittingInBatch(definition, messages, delivered).then((fitting) =>
      fitting.length > 0 ? this.#handler(new Batch(lease, verdicts, fitting), handling) : undefined,
    )
  }

  /** Resolves when it is stored or has failed; never rejects. */
  #settle(
    lease: Lease,
    keeper: LeaseKeeper,
    prefetch: Prefetch,
    { settlement, indexes }: Outcome,
  ): Promise<void> {
    const { queue, emit } = this.#context
    prefetch.settling(indexes.length)
    const settling = keeper.settle(lease, settlement, indexes).then((failures) => {
      this.#settling.delete(settling)
      prefetch.settled(indexes.length)
      for (const { indexes, error } of failures)
        emit({ type: 'settleFailed', queue, receipts: lease.receipts(indexes), error })
    })
    this.#settling.add(settling)
    return settling
  }
}

/**
 * Whether batches may be received ahead of their handlers: not where a delivery counts as one batch, where a batch
 * waits for more messages, or where the next message must not overtake a retry of the one before.
 */
const mayBeAhead = (
  { groups, concurrencyMax }: QueueConfig,
  { batchWaitMs }: Pick<CommandOf<'Receive'>, 'batchWaitMs'>,
): boolean => groups !== 'ordered' && concurrencyMax === 0 && batchWaitMs === 0

/** The subscription that is consumed. Errors: `UnknownSubscription`. */
const subscriptionOf = (queue: QueueDescription, subscription = 'main'): SubscriptionDescription => {
  const found = queue.subscriptions.find(({ name }) => name === subscription)
  if (found !== undefined) return found
  throw new KirokuError('UnknownSubscription', `Queue "${queue.name}" has no subscription "${subscription}"`)
}

const stopReason = new DOMException('The consumer was stopped', 'AbortError')
