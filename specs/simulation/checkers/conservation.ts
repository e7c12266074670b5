import { isFinal, type LifeState } from '../world/Life.ts'
import type { QueueLedger } from '../world/QueueLedger.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * Invariant 1, second half: every message has come to one final state for each subscription, and the owner counts them
 * as the log does.
 */
export class ConservationChecker implements Checker {
  readonly name = 'conservation'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  ended(): void {
    const { truth, placement } = this.#world
    for (const { partition, queues } of truth.ledgers) {
      const { state } = placement.ownerOf(partition)!.node.actors.get(partition)!
      for (const ledger of queues.values()) {
        if (ledger.isDeleted) continue
        this.#allFinal(partition, ledger)
        const queue = state.queues.get(ledger.id)
        if (queue === undefined)
          throw this.#object(`the owner of ${partition} does not know queue ${ledger.id}`)
        for (const { id, committed, deadLettered, discarded } of queue.subs) {
          const counted = { Committed: committed, DLQ: deadLettered, Discarded: discarded }
          for (const name of ['Committed', 'DLQ', 'Discarded'] as const)
            if (counted[name] !== countOf(ledger, id, name))
              throw this.#object(
                `subscription ${id} of queue ${partition}/${ledger.id} counts ${counted[name]} ${name}, but ${countOf(ledger, id, name)} are`,
              )
        }
        if (queue.sent !== ledger.messages.size)
          throw this.#object(
            `queue ${partition}/${ledger.id} counts ${queue.sent} messages, but ${ledger.messages.size} are stored`,
          )
      }
    }
  }

  #allFinal(partition: number, { id, messages }: QueueLedger): void {
    for (const { number, lives } of messages.values())
      for (const { state } of lives.values())
        if (!isFinal(state)) throw this.#object(`${partition}/${id}/${number} is ${state} in the end`)
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}

const countOf = ({ messages }: QueueLedger, sub: number, name: LifeState): number => {
  let count = 0
  for (const { lives } of messages.values()) if (lives.get(sub)?.state === name) count++
  return count
}
