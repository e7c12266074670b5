import { ChurnMap, KirokuError } from '@kiroku/protocol'
import type { ClientEvent } from './ClientEvent.ts'
import type { Clock } from './Clock.ts'
import type { Lease, LeaseFailure } from './Lease.ts'
import type { LeaseTimes } from './LeaseTimes.ts'
import type { Settlement } from './Settlement.ts'
import { isRetryable } from './failure.ts'

/**
 * Keeps leases while handlers work: looks at each when it is registered and at all of them with every tick,
 * renews those that would not outlast the next one, and gives up those of stuck work. Settling goes through
 * it, so that no settlement races a renewal.
 */
export class LeaseKeeper {
  readonly #times: LeaseTimes
  readonly #clock: Clock
  readonly #emit: (event: ClientEvent) => void
  /** Leases with the time from which their work counts as stuck. */
  readonly #stuckMs = new ChurnMap<Lease, number>()
  #tick: unknown

  constructor(times: LeaseTimes, clock: Clock, emit: (event: ClientEvent) => void) {
    this.#times = times
    this.#clock = clock
    this.#emit = emit
  }

  /** Keeps a lease until it ends, or refuses one with too little left to start with. */
  register(lease: Lease): boolean {
    const { leftMsMin, messageTimeoutMs, tickMs } = this.#times
    const nowMs = this.#clock.now()
    if (lease.endMs - nowMs < leftMsMin) return false
    this.#stuckMs.set(lease, nowMs + messageTimeoutMs)
    this.#tick ??= this.#clock.setTimeout(this.#checkAll, tickMs)
    this.#check(lease, nowMs)
    return true
  }

  /** Settles messages of a lease, which ends with the last; never rejects. */
  settle(lease: Lease, settlement: Settlement, indexes: readonly number[]): Promise<LeaseFailure[]> {
    const settled = lease.settle(settlement, indexes)
    this.#forgetIfOver(lease)
    return settled
  }

  /** Ends the ticks. */
  stop(): void {
    this.#clock.clearTimeout(this.#tick)
  }

  readonly #checkAll = (): void => {
    this.#tick = undefined
    if (this.#stuckMs.size === 0) return
    this.#tick = this.#clock.setTimeout(this.#checkAll, this.#times.tickMs)
    const nowMs = this.#clock.now()
    for (const lease of this.#stuckMs.keys()) this.#check(lease, nowMs)
  }

  #check(lease: Lease, nowMs: number): void {
    const { renews, tickMs, leftMsMin, messageTimeoutMs } = this.#times
    if (nowMs >= this.#stuckMs.get(lease)!) {
      const error = new KirokuError('HandlerStuck', `The work took longer than ${messageTimeoutMs} ms`)
      this.#tell('leaseAbandoned', lease, { indexes: lease.held(), error })
      return this.#letGo(lease, lease.held())
    }
    const leftMs = lease.endMs - nowMs
    if (leftMs <= 0) {
      // The partition lengthens leases by the time it had no owner, so it may be longer: renewals continue.
      const error = new KirokuError('LeaseExpired', 'The lease ended before the work did')
      this.#tell('leaseLost', lease, { indexes: lease.held(), error })
    }
    if (renews && leftMs <= tickMs + leftMsMin && !lease.isRenewing) void this.#renew(lease, nowMs)
  }

  async #renew(lease: Lease, nowMs: number): Promise<void> {
    const { leaseMs } = this.#times
    const failures = await lease.renew(leaseMs)
    // Without an answer the next tick tries again.
    if (failures.some(({ error }) => isRetryable(error))) return
    // Counted from the request, because the partition decided it after that.
    lease.endMs = nowMs + leaseMs
    for (const failure of failures) {
      this.#tell('leaseLost', lease, failure)
      this.#letGo(lease, failure.indexes)
    }
  }

  #tell(type: 'leaseLost' | 'leaseAbandoned', lease: Lease, { indexes, error }: LeaseFailure): void {
    const told = lease.interrupt(indexes, error)
    if (told.length === 0) return
    this.#emit({ type, queue: lease.context.queue, receipts: lease.receipts(told), error })
  }

  #letGo(lease: Lease, indexes: readonly number[]): void {
    lease.drop(indexes)
    this.#forgetIfOver(lease)
  }

  #forgetIfOver(lease: Lease): void {
    // The tick goes on: leases come and go far more often.
    if (lease.isOver) this.#stuckMs.delete(lease)
  }
}
