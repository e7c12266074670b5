import { KirokuError, type Ranges } from '@kiroku/message'
import { receipt } from '@kiroku/partition'
import type { ClientEvent } from './ClientEvent.ts'
import { toKirokuError } from './failure.ts'
import type { DeliveryContext } from './MessageView.ts'
import { addRange, rangeNumbers, rangeTotal } from './ranges.ts'
import type { Settlement, Settler } from './Settler.ts'

/** One delivery in a consumer's hands: settles by index, and reports what was refused. */
export class LeasedBatch {
  readonly context: DeliveryContext
  readonly #settler: Settler
  readonly #emit: (event: ClientEvent) => void
  #numbers: number[] | undefined

  constructor(context: DeliveryContext, settler: Settler, emit: (event: ClientEvent) => void) {
    this.context = context
    this.#settler = settler
    this.#emit = emit
  }

  /** Messages in it. */
  get size(): number {
    return this.context.delivery.attempts.length
  }

  /** Length of its lease in ms. */
  get leaseMs(): number {
    return this.context.delivery.leaseUntil - this.context.delivery.now
  }

  /**
   * Settles messages; what is refused or fails becomes an event. Never rejects.
   * @param matters whether a refusal still means something, asked of each message's index
   */
  async settle(
    settlement: Settlement,
    indexes: readonly number[],
    matters: (index: number) => boolean = () => true,
  ): Promise<void> {
    const { queue, sub, delivery } = this.context.delivery
    const ranges = this.#rangesOf(indexes)
    const stillMatters = (number: number): boolean => matters(this.#all().indexOf(number))
    try {
      const refused = await this.#settler.settle(settlement, queue, sub, delivery, ranges)
      if (refused.length === 0) return
      const relevant = refused.filter((each) => stillMatters(each.number))
      for (const [id, group] of Map.groupBy(relevant, (each) => each.error)) {
        const numbers = group.map((each) => each.number)
        const error = new KirokuError(id, `${settlement.type} was refused for ${numbers.length} messages`)
        this.#emitFailure(settlement, numbers, error)
      }
    } catch (thrown) {
      const numbers = rangeNumbers(ranges).filter(stillMatters)
      if (numbers.length > 0) this.#emitFailure(settlement, numbers, toKirokuError(thrown))
    }
  }

  #emitFailure(settlement: Settlement, numbers: readonly number[], error: KirokuError): void {
    const { incarnation, partition, queue, delivery } = this.context
    const receipts = numbers.map((number) =>
      receipt({
        incarnation,
        partition,
        queue: delivery.queue,
        number,
        sub: delivery.sub,
        delivery: delivery.delivery,
      }),
    )
    this.#emit({ type: settlement.type === 'Extend' ? 'leaseLost' : 'settleFailed', queue, receipts, error })
  }

  #rangesOf(indexes: readonly number[]): Ranges {
    const { numbers } = this.context.delivery
    if (indexes.length === rangeTotal(numbers)) return numbers
    const ranges: Ranges = []
    for (const index of indexes) addRange(ranges, this.#all()[index]!, 1)
    return ranges
  }

  #all(): number[] {
    return (this.#numbers ??= rangeNumbers(this.context.delivery.numbers))
  }
}
