import type { Answers, Reply } from '@kiroku/protocol'
import type { Exchange } from '../world/Exchange.ts'
import type { World } from '../world/World.ts'
import { each } from '../world/ranges.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** After a reset, receipts of the generation before name nothing: whatever is asked with them then is refused. */
export class GenerationsChecker implements Checker {
  readonly name = 'generations'
  readonly #world: World
  /** Items that named the past when their request arrived, by exchange, as `command item`. */
  readonly #past = new Map<number, Set<string>>()

  constructor(world: World) {
    this.#world = world
  }

  arrived({ id, partition, commands }: Exchange): void {
    const { queues } = this.#world.truth.ledgers[partition]!
    for (const [i, command] of commands.entries()) {
      if (!('items' in command)) continue
      for (const [k, { queue, sub }] of command.items.entries()) {
        const ledger = queues.get(queue)
        if (ledger?.isDeleted !== true && ledger?.generations.get(sub)?.isOver !== true) continue
        const past = this.#past.get(id) ?? new Set()
        this.#past.set(id, past.add(`${i} ${k}`))
      }
    }
  }

  left({ id, partition, commands }: Exchange, reply: Reply): void {
    const past = this.#past.get(id)
    if (past === undefined) return
    this.#past.delete(id)
    // Clients drop what an owner says that another one has followed.
    if (reply.epoch < this.#world.truth.ledgers[partition]!.epoch) return
    for (const [i, command] of commands.entries()) {
      const ok = reply.answers[i]!.ok as Answers['Ack'] | undefined
      if (!('items' in command) || ok === undefined) continue
      for (const [k, { queue, sub, numbers }] of command.items.entries()) {
        if (!past.has(`${i} ${k}`)) continue
        const refused = new Set(ok.refused.filter((r) => r.item === k).map((r) => r.number))
        for (const number of each(numbers))
          if (!refused.has(number))
            throw new Objection(
              this.name,
              `${command.type} of ${partition}/${queue}/${number} is accepted for generation ${sub}, which has ended`,
            )
      }
    }
  }

  givenUp(): void {
    this.#past.clear()
  }
}
