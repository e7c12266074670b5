import { ChurnSet, type CommandOf, limits as partitionLimits, rangeNumbers } from '@kiroku/protocol'
import type { AheadShare } from './AheadShare.ts'
import type { Clock } from './Clock.ts'
import type { QueueRoute, Taken } from './QueueRoute.ts'
import { backoffMs } from './backoff.ts'
import { partOf } from './deliveryParts.ts'
import { limits } from './limits.ts'

/** What a prefetch receives, and for whom. */
export interface PrefetchOptions {
  readonly route: QueueRoute
  /** A receive of one batch. */
  readonly receive: Omit<CommandOf<'Receive'>, 'poll'>
  readonly newPoll: () => string
  readonly handlers: number
  /** How much work may be received ahead of the handlers, in ms; 0: none. */
  readonly aheadMs: number
  /** With whom it shares what is ahead. */
  readonly share: AheadShare
  readonly clock: Clock
  /** A receive has failed for good. */
  readonly failed: (thrown: unknown) => void
}

/** A delivery of which the batches from an index on have no handler yet. */
interface Waiting {
  readonly taken: Taken
  readonly numbers: readonly number[]
  from: number
}

/** A handler that waits for a batch of up to `max` messages. */
interface Taker {
  readonly max: number
  readonly give: (taken: Taken | undefined) => void
}

/**
 * The batches for the handlers of a consumer. While handlers are quick, receives ask for what these will take within
 * `aheadMs`, and a delivery is cut into batches. While they are slow, each free handler has a receive of its own, and
 * nothing waits for a busy one.
 */
export class Prefetch {
  readonly #options: PrefetchOptions
  /** In order. */
  readonly #waiting: Waiting[] = []
  /** Handlers that wait for a batch. */
  readonly #takers: Taker[] = []
  readonly #releases = new ChurnSet<Promise<void>>()
  /** Ends the receives under way; how many batches they ask for. */
  #receives = new AbortController()
  #asked = 0
  /** Receives in a row that brought nothing and waited for nothing. */
  #misses = 0
  /** How long a handler takes for a batch, as a moving mean in ms. */
  #handlerMs: number
  #takenAtMs = 0
  #watch: unknown
  #holds = 0
  /** Messages whose verdict is not stored yet. */
  #unsettled = 0
  #isStopped = false

  constructor(options: PrefetchOptions) {
    this.#options = options
    this.#handlerMs = 2 * options.aheadMs
  }

  /** The next batch, of up to `max` messages, at once if one is there; undefined once it is stopped. */
  take(max = this.#options.receive.max): Taken | undefined | Promise<Taken | undefined> {
    if (this.#isStopped) return undefined
    const taken = this.#next(max)
    const next = taken ?? new Promise<Taken | undefined>((give) => void this.#takers.push({ max, give }))
    this.#fill()
    return next
  }

  /** A handler has ended the batch that it was given `ms` ago. */
  handled(ms: number): void {
    this.#handlerMs += (Math.max(0, ms) - this.#handlerMs) / 8
  }

  /** The handlers can take no more than they have: what waits for them is given back. */
  slow(): void {
    const isAhead = this.#waiting.length > 0 || this.#asked > this.#takers.length
    this.#handlerMs = 2 * this.#options.aheadMs
    if (isAhead) this.#giveBack()
  }

  /** Receives nothing until `stored` resolves. */
  async hold(stored: Promise<unknown>): Promise<void> {
    this.#holds++
    this.slow()
    await stored
    this.#holds--
    this.#fill()
  }

  /** Verdicts on `count` messages are to be stored. Where many are, nothing more is received: handlers may be quicker than that. */
  settling(count: number): void {
    this.#unsettled += count
  }

  /** They are stored, or have failed. */
  settled(count: number): void {
    this.#unsettled -= count
    if (this.#asked < this.#takers.length) this.#fill()
  }

  /** Ends the receives and gives back what has no handler; resolves when that is stored. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#options.clock.clearTimeout(this.#watch)
    this.#giveBack()
    for (const { give } of this.#takers.splice(0)) give(undefined)
    await Promise.all(this.#releases)
  }

  /** How many batches are with handlers, wait for them or are asked for, at most. */
  #depth(): number {
    const { aheadMs, handlers, receive, share } = this.#options
    if (2 * this.#handlerMs >= aheadMs) return handlers
    const ahead = Math.max(limits.receivesAhead, Math.ceil(limits.aheadMessagesMax / receive.max))
    const most = handlers + Math.floor(ahead / share.consumers)
    return Math.min(most, Math.floor((handlers * aheadMs) / this.#handlerMs))
  }

  /** Starts the receives that there is room for. */
  #fill(): void {
    if (this.#isStopped || this.#holds > 0) return
    const { aheadMs, clock, handlers, receive } = this.#options
    const depth = this.#unsettled < limits.unsettledMessagesMax ? this.#depth() : 0
    const share = depth > handlers ? Math.min(depth - handlers, Math.ceil(depth / limits.receivesAhead)) : 1
    let room = depth - (handlers - this.#takers.length) - this.#asked
    for (const { numbers, from } of this.#waiting) room -= Math.ceil((numbers.length - from) / receive.max)
    for (; room >= share; room -= share) {
      // A receive of one batch is for the next of those that wait.
      const max = (share === 1 ? this.#takers[this.#asked]?.max : undefined) ?? receive.max
      void this.#receive(share, max)
    }
    if (this.#isAhead) this.#watch ??= clock.setTimeout(this.#look, limits.aheadPatience * aheadMs)
  }

  /** Whether something waits, or is asked for, that no handler is free for. */
  get #isAhead(): boolean {
    return this.#takers.length === 0 && (this.#asked > 0 || this.#waiting.length > 0)
  }

  /** Handlers that took nothing for a while have become slow. */
  readonly #look = (): void => {
    this.#watch = undefined
    const { aheadMs, clock } = this.#options
    if (!this.#isAhead) return
    const leftMs = this.#takenAtMs + limits.aheadPatience * aheadMs - clock.now()
    if (leftMs <= 0) this.slow()
    else this.#watch = clock.setTimeout(this.#look, leftMs)
  }

  async #receive(batches: number, max: number): Promise<void> {
    const { route, receive, newPoll, clock, failed } = this.#options
    const { signal } = this.#receives
    const { bytesMax = limits.requestBytesMax } = receive
    this.#asked += batches
    const command = {
      ...receive,
      poll: newPoll(),
      max: Math.min(batches * max, Math.max(max, partitionLimits.messagesPerReceiveMax)),
      bytesMax: Math.min(batches * bytesMax, Math.max(bytesMax, limits.aheadBytesMax)),
      ...(batches === 1 ? {} : { batchMessages: max }),
    }
    try {
      const askedMs = clock.now()
      // Continues however long the engine is away.
      const taken = await route.take(command, { signal, patienceMs: Infinity })
      if (taken === undefined) await this.#pause(clock.now() - askedMs, signal)
      else this.#misses = 0
      if (!signal.aborted) this.#asked -= batches
      if (taken !== undefined) this.#took(taken, signal)
      this.#fill()
    } catch (thrown) {
      if (!signal.aborted) failed(thrown)
    }
  }

  /** A receive that waited at the engine has paused already. */
  async #pause(waitedMs: number, signal: AbortSignal): Promise<void> {
    this.#handlerMs = 2 * this.#options.aheadMs
    const pauseMs = backoffMs({}, this.#misses + 1, Math.random()) - waitedMs
    this.#misses = pauseMs > 0 ? this.#misses + 1 : 0
    if (pauseMs > 0) await this.#options.route.home.link.pause(pauseMs, signal)
  }

  #took(taken: Taken, { aborted }: AbortSignal): void {
    const waiting = { taken, numbers: rangeNumbers(taken.delivery.numbers), from: 0 }
    if (aborted) return this.#release(waiting)
    this.#options.share.took(this)
    this.#waiting.push(waiting)
    while (this.#takers.length > 0 && this.#waiting.length > 0) {
      const { max, give } = this.#takers.shift()!
      give(this.#next(max))
    }
  }

  /** Cuts the next batch from what waits. */
  #next(max: number): Taken | undefined {
    const first = this.#waiting[0]
    if (first === undefined) return undefined
    this.#takenAtMs = this.#options.clock.now()
    const { bytesMax = Infinity } = this.#options.receive
    const { taken, numbers, from } = first
    const { messages } = taken.delivery
    let bytes = messages[from]!.length
    let to = from + 1
    while (to < numbers.length && to < from + max && (bytes += messages[to]!.length) <= bytesMax) to++
    first.from = to
    if (to === numbers.length) this.#waiting.shift()
    return partOf(taken, numbers, from, to)
  }

  #giveBack(): void {
    this.#receives.abort(ended)
    this.#receives = new AbortController()
    this.#asked = 0
    for (const waiting of this.#waiting.splice(0)) this.#release(waiting)
  }

  #release({ taken, numbers, from }: Waiting): void {
    const { partition, delivery } = partOf(taken, numbers, from, numbers.length)
    const released = partition.release(delivery).then(() => void this.#releases.delete(released))
    this.#releases.add(released)
  }
}

const ended = new DOMException('The consumer receives no more than its handlers take', 'AbortError')
