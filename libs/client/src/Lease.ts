import {
  groupBy,
  pushRange,
  KirokuError,
  rangeNumbers,
  type Ranges,
  rangeTotal,
  receipt,
} from '@kiroku/protocol'
import type { DeliveryContext } from './MessageView.ts'
import type { Settlement } from './Settlement.ts'
import type { Settler } from './Settler.ts'
import { toKirokuError } from './failure.ts'

/** Messages of a lease, by their index in the delivery, with which something failed, and why. */
export interface LeaseFailure {
  readonly indexes: readonly number[]
  readonly error: KirokuError
}

/**
 * The lease of one delivery: which of its messages are held, until when, and how their handlers learn that it
 * is lost.
 */
export class Lease {
  readonly context: DeliveryContext
  /** When it ends, by the client's clock. */
  endMs: number
  readonly #settler: Settler
  readonly #numbers: readonly number[]
  readonly #isHeld: number[]
  #held: number
  #renewing: Promise<LeaseFailure[]> | undefined
  /** Why work on messages should end; signals are created on demand. */
  #reasons: Map<number, Error> | undefined
  #interrupts: Map<number, AbortController> | undefined
  #reasonForAll: Error | undefined
  #interruptAll: AbortController | undefined

  constructor(context: DeliveryContext, settler: Settler, endMs: number) {
    this.context = context
    this.endMs = endMs
    this.#settler = settler
    this.#numbers = rangeNumbers(context.delivery.numbers)
    this.#held = this.#numbers.length
    this.#isHeld = new Array<number>(this.#held).fill(1)
  }

  /** Messages in the delivery. */
  get size(): number {
    return this.#numbers.length
  }

  /** Whether no message is held any more. */
  get isOver(): boolean {
    return this.#held === 0
  }

  get isRenewing(): boolean {
    return this.#renewing !== undefined
  }

  /** The messages that are still held. */
  held(): number[] {
    const indexes: number[] = []
    for (let i = 0; i < this.#isHeld.length; i++) if (this.#isHeld[i] === 1) indexes.push(i)
    return indexes
  }

  /** Drops messages and settles them, after a renewal in flight; never rejects. */
  async settle(settlement: Settlement, indexes: readonly number[]): Promise<LeaseFailure[]> {
    this.drop(indexes)
    if (this.#renewing !== undefined) await this.#renewing
    return this.#bring(settlement, indexes)
  }

  /** Asks for `leaseMs` more, from now, for what is held; never rejects. */
  async renew(leaseMs: number): Promise<LeaseFailure[]> {
    this.#renewing = this.#bring({ type: 'Extend', leaseMs }, this.held())
    const failures = await this.#renewing
    this.#renewing = undefined
    return failures
  }

  /** Aborts the work on held messages, unless done before. Returns which of them. */
  interrupt(indexes: readonly number[], reason: Error): number[] {
    const reasons = (this.#reasons ??= new Map<number, Error>())
    const told = indexes.filter((index) => this.#isHeld[index] === 1 && !reasons.has(index))
    for (const index of told) {
      reasons.set(index, reason)
      this.#interrupts?.get(index)?.abort(reason)
    }
    if (told.length > 0 && this.held().every((index) => reasons.has(index))) {
      this.#reasonForAll ??= reason
      this.#interruptAll?.abort(reason)
    }
    return told
  }

  /** Aborted when the work on everything that is held should end. */
  get signal(): AbortSignal {
    if (this.#interruptAll === undefined) {
      this.#interruptAll = new AbortController()
      if (this.#reasonForAll !== undefined) this.#interruptAll.abort(this.#reasonForAll)
    }
    return this.#interruptAll.signal
  }

  /** Aborted when the work on a message should end. */
  signalOf(index: number): AbortSignal {
    const interrupts = (this.#interrupts ??= new Map<number, AbortController>())
    let interrupt = interrupts.get(index)
    if (interrupt === undefined) {
      interrupts.set(index, (interrupt = new AbortController()))
      const reason = this.#reasons?.get(index)
      if (reason !== undefined) interrupt.abort(reason)
    }
    return interrupt.signal
  }

  /** Drops messages without telling the partition. */
  drop(indexes: readonly number[]): void {
    for (const index of indexes) {
      this.#held -= this.#isHeld[index]!
      this.#isHeld[index] = 0
    }
  }

  /** Receipts of messages. */
  receipts(indexes: readonly number[]): string[] {
    const { incarnation, partition, delivery } = this.context
    const { queue, sub } = delivery
    return indexes.map((index) =>
      receipt({
        incarnation,
        partition,
        queue,
        number: this.#numbers[index]!,
        sub,
        delivery: delivery.delivery,
      }),
    )
  }

  async #bring(settlement: Settlement, indexes: readonly number[]): Promise<LeaseFailure[]> {
    const { queue, sub, delivery } = this.context.delivery
    try {
      const refused = await this.#settler.settle(settlement, queue, sub, delivery, this.#rangesOf(indexes))
      if (refused.length === 0) return none
      return [...groupBy(refused, (each) => each.error)].map(([id, group]) => ({
        indexes: group.map((each) => this.#numbers.indexOf(each.number)),
        error: new KirokuError(id, `${settlement.type} was refused for ${group.length} messages`),
      }))
    } catch (thrown) {
      return [{ indexes, error: toKirokuError(thrown) }]
    }
  }

  #rangesOf(indexes: readonly number[]): Ranges {
    const { numbers } = this.context.delivery
    if (indexes.length === rangeTotal(numbers)) return numbers
    const ranges: Ranges = []
    for (const index of indexes) pushRange(ranges, this.#numbers[index]!, 1)
    return ranges
  }
}

const none: LeaseFailure[] = []
