import { ChurnMap, type Delivery } from '@kiroku/protocol'
import { limits } from './limits.ts'

/**
 * Handles deliveries that arrive after their request was given up. If the receive was repeated, the same
 * delivery may have come with a later answer: then it is being worked on, and must not be released.
 */
export class LateDeliveries {
  readonly #release: (delivery: Delivery) => void
  /** Attempt ids of receives in flight, and what came late for them so far. */
  readonly #open = new ChurnMap<string, readonly Delivery[]>()
  /** The deliveries that attempt ids finally got, oldest first. */
  readonly #got = new ChurnMap<string, number>()

  constructor(release: (delivery: Delivery) => void) {
    this.#release = release
  }

  /** A receive begins. */
  begun(attempt: string): void {
    if (!this.#open.has(attempt)) this.#open.set(attempt, none)
  }

  /** A receive ended, with this delivery or with none; it may arrive again if the receive was repeated. */
  over(attempt: string, delivery: number | undefined, mayComeAgain: boolean): void {
    if (delivery !== undefined && mayComeAgain) {
      this.#got.delete(attempt)
      this.#got.set(attempt, delivery)
      const [oldest] = this.#got.keys()
      if (this.#got.size > limits.repeatsMax) this.#got.delete(oldest!)
    }
    const late = this.#open.get(attempt) ?? none
    this.#open.delete(attempt)
    for (const each of late) if (each.delivery !== delivery) this.#release(each)
  }

  /** A delivery arrived that no receive waits for. */
  late(delivery: Delivery): void {
    const { attempt = '' } = delivery
    const open = this.#open.get(attempt)
    if (open !== undefined) this.#open.set(attempt, [...open, delivery])
    else if (this.#got.get(attempt) !== delivery.delivery) this.#release(delivery)
  }
}

const none: readonly Delivery[] = []
