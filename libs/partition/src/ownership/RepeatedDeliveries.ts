import { limits } from '@kiroku/protocol'

/** Deliveries that were sent again to a receive that was repeated, the latest ones, and the lease that was told last. */
export class RepeatedDeliveries {
  /** By delivery, in the order of their first repeat. */
  readonly #leaseUntil = new Map<number, number>()

  /** A delivery is sent again, under this lease. */
  repeated(delivery: number, leaseUntil: number): void {
    this.#leaseUntil.set(delivery, leaseUntil)
    if (this.#leaseUntil.size <= limits.consumerDeliveriesMax) return
    for (const oldest of this.#leaseUntil.keys()) return void this.#leaseUntil.delete(oldest)
  }

  /** Whether a delivery was sent again after it was sent under this lease. */
  isOutdated({ delivery, leaseUntil }: { readonly delivery: number; readonly leaseUntil: number }): boolean {
    const last = this.#leaseUntil.get(delivery)
    return last !== undefined && leaseUntil < last
  }
}
