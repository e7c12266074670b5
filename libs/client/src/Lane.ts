import { ChurnSet, type Answer, type Command, errorFromWire, KirokuError } from '@kiroku/protocol'
import type { PartitionLink } from './PartitionLink.ts'
import { backoffMs } from './backoff.ts'
import { isRetryable, leavesOutcomeUnknown, toKirokuError } from './failure.ts'
import { limits } from './limits.ts'

/** One command in flight, repeated until it is answered or its time is up. */
export interface Unit {
  /**
   * Unchanged between tries, except for the send that it names before it. Not a getter: each object that is written with one
   * gets a hidden class of its own, which keeps it alive until the next full collection.
   */
  readonly command: () => Command
  readonly messages: number
  readonly bytes: number
  /** When repeating ends, by the client's clock. */
  readonly deadlineMs: number
  /** Whether an earlier try may have taken effect. */
  doubt: boolean
  /** Whether a request with it has no answer. */
  isUnderWay?: boolean
  /** It was given up: its caller waits no more. */
  isOver?: boolean
  /** Its place among the units of its lane; set by the lane. */
  order: number
  /** How many requests have brought it; counted by the lane. */
  requests: number
  done(ok: NonNullable<Answer['ok']>): void
  failed(error: KirokuError): void
}

/**
 * Brings units to one partition in order, several requests at a time; while those are in flight the source
 * gathers. After a failure the lane pauses and then repeats what failed, oldest first, before anything new.
 */
export class Lane {
  readonly #link: PartitionLink
  readonly #next: (roomBytes: number) => Unit | undefined
  readonly #requestsMax: number
  /** What each request brings that is under way. */
  readonly #requests = new ChurnSet<readonly Unit[]>()
  #orders = 0
  readonly #repeats: { readonly unit: Unit; readonly error: KirokuError }[] = []
  #failures = 0
  #paused = false
  #scheduled = false
  #closed = false
  #idle: (() => void)[] = []

  /**
   * @param next gives the next unit if there is one and it is not larger than the room
   */
  constructor(link: PartitionLink, requestsMax: number, next: (roomBytes: number) => Unit | undefined) {
    this.#link = link
    this.#requestsMax = requestsMax
    this.#next = next
  }

  /** Announces that the source has something; what comes within the same turn travels together. */
  wake(): void {
    if (this.#scheduled || this.#paused || this.#requests.size >= this.#requestsMax) return
    this.#scheduled = true
    // After the microtasks of this turn: callers resumed by one reply send their next together.
    queueMicrotask(this.#defer)
  }

  /** Resolves when nothing is in flight or waiting for a repeat that someone waits for. */
  idle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  /** Units were given up: requests that brought nothing else make room for new ones. */
  gaveUp(): void {
    for (const units of this.#requests)
      if (units.every(({ isOver }) => isOver === true)) this.#requests.delete(units)
    this.#resolveIdle()
  }

  #resolveIdle(): void {
    if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Stops repeating and gives up what waits for it. */
  close(): void {
    this.#closed = true
    for (const { unit } of this.#repeats.splice(0))
      if (unit.isOver !== true)
        unit.failed(new KirokuError('Stopped', 'The client was closed before this had an answer'))
  }

  readonly #defer = (): void => process.nextTick(this.#run)

  readonly #run = (): void => {
    this.#scheduled = false
    while (!this.#paused && this.#requests.size < this.#requestsMax) {
      const units = this.#fill()
      if (units.length === 0) break
      this.#request(units)
    }
    this.#resolveIdle()
  }

  #isIdle(): boolean {
    return (
      this.#requests.size === 0 && !this.#scheduled && this.#repeats.every(({ unit }) => unit.isOver === true)
    )
  }

  /**
   * A repeat is sent while there is time, or not at all: a partition remembers answers only for a limited
   * time.
   */
  #giveUpLate(): void {
    const now = this.#link.context.clock.now()
    for (let i = this.#repeats.length - 1; i >= 0; i--) {
      const { unit, error } = this.#repeats[i]!
      if (now < unit.deadlineMs && unit.isOver !== true) continue
      this.#repeats.splice(i, 1)
      if (unit.isOver !== true) unit.failed(error)
    }
  }

  #fill(): Unit[] {
    this.#giveUpLate()
    const units: Unit[] = []
    let messages = 0
    let bytes = 0
    while (
      units.length < limits.requestCommandsMax &&
      messages < limits.requestMessagesMax &&
      bytes < limits.requestBytesMax
    ) {
      // A unit that is too large for any request travels alone.
      const room = units.length === 0 ? Infinity : limits.requestBytesMax - bytes
      const unit = this.#repeats.length === 0 ? this.#next(room) : this.#nextRepeat(room)
      if (unit === undefined) break
      if (unit.order === 0) unit.order = ++this.#orders
      units.push(unit)
      messages += unit.messages
      bytes += unit.bytes
    }
    return units
  }

  #nextRepeat(roomBytes: number): Unit | undefined {
    return this.#repeats[0]!.unit.bytes > roomBytes ? undefined : this.#repeats.shift()!.unit
  }

  #request(units: readonly Unit[]): void {
    this.#requests.add(units)
    const commands = units.map((unit) => {
      unit.isUnderWay = true
      unit.requests++
      return unit.command()
    })
    this.#link.call(commands, limits.replyMsMax).then(
      (reply) => {
        if (!this.#requests.delete(units)) return this.wake()
        let failure: KirokuError | undefined
        for (let i = 0; i < units.length; i++) {
          const answer = reply.answers[i]
          if (units[i]!.isOver === true) continue
          if (answer?.ok !== undefined) units[i]!.done(answer.ok)
          else failure = causeOf(failure, this.#fail(units[i]!, answerError(answer)))
        }
        this.#after(failure)
      },
      (thrown: unknown) => {
        if (!this.#requests.delete(units)) return this.wake()
        let failure: KirokuError | undefined
        for (const unit of units) failure = causeOf(failure, this.#fail(unit, toKirokuError(thrown)))
        this.#after(failure)
      },
    )
  }

  /** Keeps the unit for a repeat and returns the error, or gives the unit up. */
  #fail(unit: Unit, error: KirokuError): KirokuError | undefined {
    unit.isUnderWay = false
    if (unit.isOver === true) return error
    unit.doubt ||= leavesOutcomeUnknown(error)
    if (this.#closed || !isRetryable(error) || this.#link.context.clock.now() >= unit.deadlineMs) {
      unit.failed(error)
      return undefined
    }
    let at = this.#repeats.length
    while (at > 0 && this.#repeats[at - 1]!.unit.order > unit.order) at--
    this.#repeats.splice(at, 0, { unit, error })
    return error
  }

  #after(failure: KirokuError | undefined): void {
    const { partition, context } = this.#link
    if (failure === undefined) {
      this.#failures = 0
      context.reachability.answered(partition)
    } else if (!this.#paused) {
      this.#paused = true
      const delayMs = backoffMs(failure, ++this.#failures, Math.random())
      context.reachability.failed(partition, failure)
      context.emit({ type: 'retrying', partition, error: failure, delayMs })
      void this.#link.pause(delayMs).then(() => {
        this.#paused = false
        this.#run()
      })
      return
    }
    this.#run()
  }
}

/** What failed of itself says how long to pause, rather than what was refused because of it. */
const causeOf = (known: KirokuError | undefined, next: KirokuError | undefined): KirokuError | undefined =>
  next === undefined || (known !== undefined && next.id === 'OutOfOrder') ? known : next

const answerError = (answer: Answer | undefined): KirokuError =>
  answer?.error === undefined
    ? new KirokuError('Internal', 'The reply holds no answer for the command')
    : errorFromWire(answer.error)
