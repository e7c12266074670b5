import { isSealed } from '@kiroku/log'
import { decide, type PartitionState, type PlannedDelivery } from '@kiroku/partition'
import type { Answer, KirokuError, UndeliveredItem } from '@kiroku/protocol'
import { asKirokuError } from '../asKirokuError.ts'
import type { BodyCache } from '../bodies/BodyCache.ts'
import { openDelivery } from '../bodies/openDelivery.ts'
import type { KeyRing } from '../keys/KeyRing.ts'
import type { Act } from './Mailbox.ts'
import type { Slot } from './Request.ts'
import { holdsAll } from './holdsAll.ts'

/** What the owner does for its deliveries. */
interface DeliveryWork {
  /** Has something decided, also when the ownership recovers before. */
  actLasting(run: Act): void
  answer(slot: Slot, answer: Answer): void
  /** A body could not be read: the record is damaged. */
  damaged(error: KirokuError): void
  /** A delivery that waited for its bodies was sent or given up. */
  done(): void
}

/** Sends deliveries that are on record, with their bodies. Gives back what reached no consumer, and ends what cannot be read. */
export class Deliverer {
  readonly #ring: KeyRing
  readonly #cache: BodyCache
  readonly #work: DeliveryWork
  /** The state that deliveries are decided on now. */
  #state!: PartitionState
  #underWay = 0

  constructor(ring: KeyRing, cache: BodyCache, work: DeliveryWork) {
    this.#ring = ring
    this.#cache = cache
    this.#work = work
  }

  begin(state: PartitionState): void {
    this.#state = state
  }

  /** Whether no delivery waits for its bodies. */
  get isIdle(): boolean {
    return this.#underWay === 0
  }

  /** Sends a delivery: at once where its bodies are at hand and plain. */
  deliver(plan: PlannedDelivery, slot: Slot): void {
    const { seqs, indexes, queue } = plan
    const state = this.#state
    const messages: Uint8Array[] = []
    for (let i = 0; i < seqs.length; i++) {
      const body = this.#cache.peek(seqs[i]!, queue, indexes[i]!)
      if (body === undefined) break
      messages.push(body)
    }
    const isHere = messages.length === seqs.length
    if (isHere && !messages.some(isSealed)) return this.#send(plan, slot, messages)
    this.#underWay++
    const bodies = isHere ? Promise.resolve(messages) : this.#cache.fetch(seqs, queue, indexes)
    void bodies
      .then((found) =>
        found.some(isSealed) ? this.#open(plan, slot, found, state) : this.#send(plan, slot, found),
      )
      .catch((e: unknown) => this.#failed(plan, slot, e))
      .then(() => {
        this.#underWay--
        this.#work.done()
      })
  }

  /** Gives back a delivery that reached no consumer; it costs no attempt. */
  giveBack(delivery: UndeliveredItem): void {
    this.#work.actLasting((turn) => decide(turn, { type: 'ReleaseUndelivered', items: [delivery] }))
  }

  #send(plan: PlannedDelivery, slot: Slot, messages: readonly Uint8Array[]): void {
    const { seqs: _seqs, indexes: _indexes, ...delivery } = plan
    this.#work.answer(slot, { ok: { delivery: { ...delivery, messages } } })
  }

  async #open(
    plan: PlannedDelivery,
    slot: Slot,
    messages: readonly Uint8Array[],
    state: PartitionState,
  ): Promise<void> {
    const { seqs: _seqs, indexes: _indexes, ...rest } = plan
    const opened = await slot.request.opened(messages, (all) => this.#ring.open(all))
    const { delivery, erased } = openDelivery(rest, opened)
    // Another partition erased it; or this one, by an erasure that is decided and may never be stored.
    if (erased.length > 0)
      this.#work.actLasting((turn) => {
        if (turn.state === state) decide(turn, { type: 'EndUnreadable', delivery: plan, numbers: erased })
      })
    this.#work.answer(slot, { ok: delivery === undefined ? {} : { delivery } })
  }

  #failed(plan: PlannedDelivery, slot: Slot, e: unknown): void {
    const error = asKirokuError(e)
    if (error.id === 'LogDamaged' && holdsAll(this.#state, plan)) {
      this.#work.answer(slot, { error: error.toWire() })
      return this.#work.damaged(error)
    }
    // What was settled or purged meanwhile may be trimmed by now; the rest is delivered to the next receive.
    this.#work.answer(slot, error.id === 'LogDamaged' ? { ok: {} } : { error: error.toWire() })
    this.giveBack(plan)
  }
}
