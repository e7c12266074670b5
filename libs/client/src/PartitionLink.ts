import {
  ChurnSet,
  type Answers,
  type Command,
  type CommandOf,
  type CommandType,
  type Delivery,
  errorFromWire,
  type ErrorId,
  KirokuError,
  type Reply,
} from '@kiroku/protocol'
import type { AbortSignalLike } from './AbortSignalLike.ts'
import type { ClientContext } from './ClientContext.ts'
import { EngineTime } from './EngineTime.ts'
import { Flight } from './Flight.ts'
import { backoffMs } from './backoff.ts'
import { isOutage, isRetryable, leavesOutcomeUnknown, toKirokuError } from './failure.ts'
import { limits } from './limits.ts'

/** How long `ask` repeats, and what stops it. */
interface AskOptions {
  /** How long the engine itself may wait before it answers, in ms. */
  readonly waitMs?: number
  /** How long it is repeated while it fails, in ms; default `requestTimeoutMs`. */
  readonly patienceMs?: number | undefined
  readonly signal?: AbortSignalLike | undefined
  /** The command to repeat, by the remaining wait and the number of the try. */
  readonly again?: (leftMs: number, attempt: number) => Command
  /** Errors that mean success when an earlier try may have taken effect. */
  readonly doneAfterDoubt?: ErrorId
}

/**
 * The way to the current owner of one partition. Knows the highest epoch seen: replies of a lower one do not
 * count, and what is in flight when a new owner appears fails at once, so that it is repeated.
 */
export class PartitionLink {
  readonly partition: number
  readonly context: ClientContext
  readonly time: EngineTime
  /** Called with deliveries that no receive waits for. */
  onLateDelivery: (delivery: Delivery) => void = () => {}
  #epoch = 0
  readonly #flights = new ChurnSet<Flight>()
  readonly #wakes = new Set<() => void>()
  #silentSinceMs: number | undefined

  constructor(partition: number, context: ClientContext) {
    this.partition = partition
    this.context = context
    this.time = new EngineTime(context.clock)
  }

  /**
   * Since when requests have been under way or failed with nobody answering: neither an owner, nor NATS that there is none; in
   * ms of the client's clock.
   */
  get silentSinceMs(): number | undefined {
    return this.#silentSinceMs
  }

  /** An owner that takes nothing, since its log confirms nothing, is no better than none. */
  #answered({ answers }: Reply): void {
    if (!answers.every(({ error }) => error?.id === 'Unavailable')) this.#heard()
  }

  #heard(): void {
    this.#silentSinceMs = this.#flights.size === 0 ? undefined : this.context.clock.now()
  }

  /**
   * One request, one try. Aborting rejects with the signal's reason and cancels the polls that it parked; a delivery on its way
   * is late then.
   */
  call(commands: readonly Command[], timeoutMs: number, signal?: AbortSignalLike): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error)
      const flight = new Flight(this, this.#epoch, commands, signal, resolve, reject)
      this.#flights.add(flight)
      this.#silentSinceMs ??= this.context.clock.now()
      signal?.addEventListener('abort', flight)
      this.context.transport.request(this.partition, commands, { timeoutMs }).then(
        (reply) => this.#replied(flight, reply),
        (thrown: unknown) => {
          const error = toKirokuError(thrown)
          flight.fail(error)
          if (!isOutage(error)) this.#heard()
        },
      )
    })
  }

  #replied(flight: Flight, reply: Reply): void {
    if (flight.isOver) {
      this.#answered(reply)
      return this.late(reply)
    }
    // Epoch 0 comes from a node that does not own it: such a reply says why, and changes nothing.
    if (reply.epoch < this.#epoch && reply.epoch > 0) {
      this.late(reply)
      return flight.fail(new KirokuError('NotOwner', 'The reply came from an earlier owner'))
    }
    flight.end()
    this.#answered(reply)
    if (reply.epoch > this.#epoch) this.#changeOwner(reply.epoch, false)
    flight.resolve(reply)
  }

  /** Forgets a request that has ended. */
  ended(flight: Flight): void {
    this.#flights.delete(flight)
  }

  /** Cancels the polls of a request; what a cancelled poll gets shows in the request's own reply. */
  cancel(commands: readonly Command[]): void {
    for (const command of commands)
      if (command.type === 'Receive')
        this.context.transport
          .request(this.partition, [{ type: 'CancelReceive', poll: command.poll }], {
            timeoutMs: limits.replyMsMax,
          })
          .catch(() => undefined)
  }

  /** One command, repeated until it has an answer, the time is up, or the error is for the caller. */
  ask<T extends CommandType>(command: CommandOf<T>, options: AskOptions = {}): Promise<Answers[T]> {
    const { waitMs = 0, signal } = options
    const startMs = this.context.clock.now()
    // Thousands of receives may be waiting here, so no async function waits with them.
    return this.call([command], waitMs + limits.replyMsMax, signal).then(
      (reply) => {
        try {
          return this.#answerIn<T>(reply)
        } catch (error) {
          return this.#repeat(command, options, startMs, error)
        }
      },
      (error: unknown) => this.#repeat(command, options, startMs, error),
    )
  }

  /** The answer to the only command of a request. Errors: the command's. */
  #answerIn<T extends CommandType>({ answers: [answer] }: Reply): Answers[T] {
    if (answer === undefined) throw new KirokuError('Internal', 'The reply holds no answer')
    if (answer.error !== undefined) throw errorFromWire(answer.error)
    this.context.reachability.answered(this.partition)
    return answer.ok as Answers[T]
  }

  /** @param failure of the first try */
  async #repeat<T extends CommandType>(
    command: CommandOf<T>,
    { waitMs = 0, patienceMs = this.context.requestTimeoutMs, signal, again, doneAfterDoubt }: AskOptions,
    startMs: number,
    failure: unknown,
  ): Promise<Answers[T]> {
    const { clock, emit, reachability } = this.context
    let thrown = failure
    let doubt = false
    let [triedMs, leftMs] = [startMs, waitMs]
    /** Since when tries have failed, rather than waited for something. */
    let failingSinceMs = startMs
    for (let failures = 1; ; failures++) {
      if (signal?.aborted === true) throw thrown
      const error = toKirokuError(thrown)
      reachability.failed(this.partition, error)
      if (doubt && error.id === doneAfterDoubt) return {} as Answers[T]
      const nowMs = clock.now()
      if (leftMs > 0 && nowMs - triedMs > limits.replyMsMax)
        failingSinceMs = Math.min(nowMs, triedMs + leftMs)
      if (!isRetryable(error) || nowMs - failingSinceMs >= patienceMs) throw error
      doubt ||= leavesOutcomeUnknown(error)
      // Only the announcement of the next owner says when one more request is worth it.
      const isRefused = waitMs > 0 && error.id === 'NotOwner' && error.retryAfterMs === undefined
      const delayMs = isRefused ? limits.announcedMsMax : backoffMs(error, failures, Math.random())
      emit({ type: 'retrying', partition: this.partition, error, delayMs })
      await this.pause(delayMs, signal)
      triedMs = clock.now()
      leftMs = Math.max(0, waitMs - (triedMs - startMs))
      const next = again?.(Math.round(leftMs), failures + 1) ?? command
      try {
        return this.#answerIn<T>(await this.call([next], leftMs + limits.replyMsMax, signal))
      } catch (error) {
        thrown = error
      }
    }
  }

  /** Waits; a new owner or an abort ends it. */
  pause(delayMs: number, signal?: AbortSignalLike): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error)
      const { clock } = this.context
      const end = (): void => {
        clock.clearTimeout(timer)
        this.#wakes.delete(wake)
        signal?.removeEventListener('abort', aborted)
      }
      const wake = (): void => (end(), resolve())
      const aborted = { handleEvent: (): void => (end(), reject(signal!.reason as Error)) }
      const timer = clock.setTimeout(wake, delayMs)
      this.#wakes.add(wake)
      signal?.addEventListener('abort', aborted)
    })
  }

  /** A new owner announced itself: requests to the one before are repeated. */
  ownerChanged(epoch: number): void {
    if (epoch >= this.#epoch) this.#changeOwner(epoch, true)
  }

  #changeOwner(epoch: number, announced: boolean): void {
    if (epoch > this.#epoch && (announced || this.#epoch > 0))
      this.context.emit({ type: 'ownerChanged', partition: this.partition, epoch })
    this.#epoch = epoch
    this.time.forget()
    const error = new KirokuError('NotOwner', 'The partition moved to another owner', { retryAfterMs: 0 })
    this.#heard()
    // A first epoch learned from a reply says nothing about what was sent before it.
    for (const flight of [...this.#flights])
      if (flight.sentAt < epoch && (announced || flight.sentAt > 0)) flight.fail(error)
    this.wake()
  }

  /** The way to an owner is open: what pauses is repeated now. */
  wake(): void {
    for (const wake of [...this.#wakes]) wake()
  }

  /** Releases the deliveries of a reply that no receive waits for. */
  late(reply: Reply): void {
    for (const answer of reply.answers) {
      const ok = answer.ok
      if (ok !== undefined && 'delivery' in ok && typeof ok.delivery === 'object')
        this.onLateDelivery(ok.delivery)
    }
  }
}
