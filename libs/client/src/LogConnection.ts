import { checkQueueName, KirokuError, partitionOf } from '@kiroku/protocol'
import type { ClientContext } from './ClientContext.ts'
import type { EnvelopeMemory } from './EnvelopeMemory.ts'
import { PartitionClient } from './PartitionClient.ts'
import { QueueRoute } from './QueueRoute.ts'
import { SendPatience, type WaitingSend } from './SendPatience.ts'
import type { LogDirectory } from './Transport.ts'
import { backoffMs } from './backoff.ts'
import { isOutage, isRetryable, toKirokuError } from './failure.ts'
import { limits } from './limits.ts'
import { unavailable } from './unavailable.ts'

/** The partitions of one log, once its directory is known. */
export class OpenLog {
  readonly directory: LogDirectory
  readonly partitions: readonly PartitionClient[]
  /** Where envelopes of sends lie; undefined: each in memory of its own. */
  readonly envelopes: EnvelopeMemory | undefined
  readonly #byQueue = new Map<string, QueueRoute>()

  constructor(directory: LogDirectory, context: ClientContext) {
    this.directory = directory
    this.envelopes = context.envelopes
    this.partitions = Array.from({ length: directory.partitions }, (_, n) => new PartitionClient(n, context))
    for (const { sender } of this.partitions)
      sender.onSpread = (queue, view) => this.#byQueue.get(queue)?.learn(view)
  }

  /** Where a queue is. Errors: `InvalidQueueName`. */
  of(queue: string): QueueRoute {
    let route = this.#byQueue.get(queue)
    if (route === undefined) {
      checkQueueName(queue)
      // A program may name queues without end, and a spread one tells its parts again.
      if (this.#byQueue.size >= limits.routesMax) this.#byQueue.clear()
      const home = this.partitions[partitionOf(queue, this.partitions.length)]!
      route = new QueueRoute(queue, home, this.partitions)
      this.#byQueue.set(queue, route)
    }
    return route
  }
}

/** Opens the log once, with repeats, and listens for new owners. */
export class LogConnection {
  /** Present as soon as the directory is known. */
  log: OpenLog | undefined
  readonly #context: ClientContext
  #opening: Promise<OpenLog> | undefined
  #closed = false
  #stopListening: () => void = () => {}
  readonly #patience: SendPatience
  #sendsWaiting = 0
  #silentSinceMs: number | undefined

  constructor(context: ClientContext) {
    this.#context = context
    this.#patience = new SendPatience(context, () => this.#silentSinceMs)
  }

  /** The log. Errors: `Unavailable`, `NatsUnreachable`, `Stopped`. */
  open(): Promise<OpenLog> {
    if (this.#closed) return Promise.reject(new KirokuError('Stopped', 'The client is closed'))
    return (this.#opening ??= this.#open().catch((thrown: unknown) => {
      this.#opening = undefined
      throw thrown
    }))
  }

  /** The log, for what is asked of one queue. Errors: `InvalidQueueName`, and those of `open`. */
  openFor(queue: string): Promise<OpenLog> {
    checkQueueName(queue)
    return this.open()
  }

  /** The log, for a send, as soon as it is known and no earlier send waits for it. */
  get logToSend(): OpenLog | undefined {
    return this.#sendsWaiting === 0 ? this.log : undefined
  }

  /** The log, for a send, which waits for it no longer than for its answer. Errors: `Unavailable`, and those of `openFor`. */
  openToSend(queue: string): Promise<OpenLog> {
    const opening = this.openFor(queue)
    this.#sendsWaiting++
    return new Promise((resolve, reject) => {
      const waiting: WaitingSend = {
        begunMs: this.#context.clock.now(),
        giveUp: (why) => {
          this.#patience.delete(waiting)
          reject(unavailable(queue, why, false))
        },
      }
      this.#patience.add(waiting)
      opening.then(resolve, reject).finally(() => {
        // Its caller has gone on by now.
        this.#sendsWaiting--
        this.#patience.delete(waiting)
      })
    })
  }

  /** Stops accepting and listening. */
  close(): void {
    this.#closed = true
    this.#patience.close()
    this.log = undefined
    this.#stopListening()
  }

  async #open(): Promise<OpenLog> {
    const { transport, clock, requestTimeoutMs, reachability } = this.#context
    const startMs = clock.now()
    for (let failures = 1; ; failures++) {
      this.#silentSinceMs ??= clock.now()
      try {
        const directory = await transport.directory()
        reachability.answered(-1)
        return this.#opened(directory)
      } catch (thrown) {
        const error = toKirokuError(thrown)
        reachability.failed(-1, error)
        if (!isOutage(error)) this.#silentSinceMs = undefined
        if (this.#closed || !isRetryable(error) || clock.now() - startMs >= requestTimeoutMs) throw error
        const delayMs = backoffMs(error, failures, Math.random())
        this.#context.emit({ type: 'retrying', partition: -1, error, delayMs })
        await new Promise<void>((resolve) => clock.setTimeout(resolve, delayMs))
      }
    }
  }

  #opened(directory: LogDirectory): OpenLog {
    if (this.#closed) throw new KirokuError('Stopped', 'The client is closed')
    const log = new OpenLog(directory, this.#context)
    const { transport } = this.#context
    const stopOwners = transport.onOwnerChanged((n, epoch) => log.partitions[n]?.link.ownerChanged(epoch))
    const stopStrays = transport.onStray((n, reply) => log.partitions[n]?.link.late(reply))
    const stopReconnects = transport.onReconnected?.(() => {
      for (const { link } of log.partitions) link.wake()
    })
    this.#stopListening = () => (stopOwners(), stopStrays(), stopReconnects?.())
    this.log = log
    return log
  }
}
