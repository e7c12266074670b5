import { verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** `kiroku verify` finds nothing wrong in the log that is left. */
export class AuditChecker implements Checker {
  readonly name = 'audit'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  async ended(): Promise<void> {
    const { partitions } = await verify(this.#world.log, { decodeCheckpoint })
    for (const { partition, problem } of partitions)
      if (problem !== undefined)
        throw new Objection(this.name, `partition ${partition} at ${problem.seq}: ${problem.message}`)
  }
}
