import type { Answers, CommandOf, Reply, SettleItem } from '@kiroku/protocol'
import type { Exchange } from '../world/Exchange.ts'
import { isFinal } from '../world/Life.ts'
import type { World } from '../world/World.ts'
import { each } from '../world/ranges.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * Invariant 3 for settling: what an answer confirms is in the log when it leaves. After a confirmed
 * acknowledgement a message stays final.
 */
export class SettlementsChecker implements Checker {
  readonly name = 'settlements'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  left({ partition, commands }: Exchange, reply: Reply): void {
    // Numbers of a tail that was lost unnoticed are given out again.
    if (this.#world.hurts.get(partition)?.kind === 'tail') return
    for (const [i, command] of commands.entries()) {
      if (command.type === 'Recall' && reply.answers[i]!.ok !== undefined) this.#recalled(partition, command)
      if (command.type !== 'Ack' && command.type !== 'DeadLetter') continue
      const ok = reply.answers[i]!.ok as Answers['Ack'] | undefined
      if (ok === undefined) continue
      for (const [k, item] of command.items.entries()) {
        const refused = new Set(ok.refused.filter((r) => r.item === k).map((r) => r.number))
        for (const number of each(item.numbers))
          if (!refused.has(number)) this.#confirmed(command.type, partition, item, number)
      }
    }
  }

  /** A recalled message has ended for every subscription. */
  #recalled(partition: number, { queue, number }: CommandOf<'Recall'>): void {
    const ledger = this.#world.truth.ledgers[partition]!.queues.get(queue)
    for (const [sub, { state }] of ledger?.messages.get(number)?.lives ?? [])
      if (!isFinal(state))
        throw new Objection(this.name, `${partition}/${queue}/${number} is recalled, but ${state} for ${sub}`)
  }

  #confirmed(type: string, partition: number, { queue, sub }: SettleItem, number: number): void {
    const found = this.#world.truth.ledgers[partition]!.queues.get(queue)
      ?.messages.get(number)
      ?.lives.get(sub)
    if (found === undefined || !isFinal(found.state))
      throw new Objection(
        this.name,
        `${type} of ${partition}/${queue}/${number} is confirmed, but the log has it ${found?.state ?? 'nowhere'}`,
      )
  }
}
