import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** Every redrive comes to an end; that each message arrives once is the dead letters' checker's. */
export class RedrivesChecker implements Checker {
  readonly name = 'redrives'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  ended(): void {
    for (const { partition, redrives } of this.#world.truth.ledgers)
      for (const task of redrives)
        throw new Objection(this.name, `redrive ${task} of partition ${partition} is still running`)
  }
}
