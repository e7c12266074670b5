import type { Exchange } from '../world/Exchange.ts'
import { brief } from '../world/Network.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** No request to a living node is left without an answer. */
export class AnswersChecker implements Checker {
  readonly name = 'answers'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  ended(): void {
    for (const { name, party, requests } of this.#world.placement.processes) {
      if (party.isDead) continue
      const late = [...requests].find((exchange) => this.#isLate(exchange))
      if (late !== undefined)
        throw new Objection(
          this.name,
          `${late.commands.map(brief).join()} of ${late.from.name} to partition ${late.partition} on ${name} has no answer since ${late.arrivedMs}`,
        )
    }
  }

  /** A receive may wait. */
  #isLate({ commands, arrivedMs }: Exchange): boolean {
    let waitMs = patienceMs
    for (const c of commands) if (c.type === 'Receive') waitMs += (c.waitMs ?? 0) + (c.batchWaitMs ?? 0)
    return arrivedMs! + waitMs < this.#world.loop.nowMs
  }
}

/** What an answer takes at the most when nothing goes wrong, in ms. */
const patienceMs = 5_000
