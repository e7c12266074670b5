import type { Delivery, Reply } from '@kiroku/protocol'
import type { Exchange } from '../world/Exchange.ts'
import { labelOf } from '../world/Truth.ts'
import type { World } from '../world/World.ts'
import { each } from '../world/ranges.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * Invariant 3 for deliveries: one that leaves is in the log by then, with these messages, their attempts and their
 * bodies.
 */
export class DeliveriesChecker implements Checker {
  readonly name = 'deliveries'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  left({ partition }: Exchange, reply: Reply): void {
    for (const { ok } of reply.answers)
      if (ok !== undefined && 'delivery' in ok && typeof ok.delivery === 'object')
        this.#check(partition, ok.delivery)
  }

  #check(partition: number, delivery: Delivery): void {
    const ledger = this.#world.truth.ledgers[partition]!
    const what = `delivery ${delivery.delivery} of partition ${partition}`
    const note = ledger.deliveries.get(delivery.delivery)
    if (note === undefined) throw this.#object(`${what} left before it was stored`)
    const recorded = new Set(each(note.numbers))
    const isOfIt = note.queue === delivery.queue && note.sub === delivery.sub
    // A receive that is repeated gets what is left of the delivery.
    if (!isOfIt || [...each(delivery.numbers)].some((n) => !recorded.has(n)))
      throw this.#object(`${what} holds ${delivery.numbers.join()}, but the log says ${note.numbers.join()}`)
    const queue = ledger.queues.get(delivery.queue)!
    let i = 0
    for (const number of each(delivery.numbers)) {
      const message = queue.messages.get(number)!
      const life = message.lives.get(delivery.sub)
      const label = labelOf(delivery.messages[i]!)
      if (label !== message.label)
        throw this.#object(`${what} holds "${label}" as ${queue.id}/${number}, which is "${message.label}"`)
      // While the delivery is the last one, its attempt is the one that the log counts.
      if (
        life?.delivery === delivery.delivery &&
        life.state === 'Inflight' &&
        life.attempt !== delivery.attempts[i]
      )
        throw this.#object(
          `${what} tells attempt ${delivery.attempts[i]} of ${queue.id}/${number}, but it is attempt ${life.attempt}`,
        )
      i++
    }
    if (delivery.messages.length !== i)
      throw this.#object(`${what} has ${delivery.messages.length} bodies for ${i}`)
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}
