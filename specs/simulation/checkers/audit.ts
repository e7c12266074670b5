import { verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import type { Hurt, World } from '../world/World.ts'
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
    for (const { partition, problem, firstSeq } of partitions) {
      const hurt = this.#world.hurts.get(partition)
      const isDamaged = hurt?.kind === 'damage' && hurt.seq >= firstSeq
      // Damage that was never read is still there, and must be found.
      if (isDamaged && problem === undefined)
        throw new Objection(
          this.name,
          `damage of record ${hurt.seq} of partition ${partition} is not noticed`,
        )
      if (
        !isDamaged &&
        problem !== undefined &&
        !isCheckpoint(hurt, problem.seq) &&
        !this.#world.garbled.has(`${partition} ${problem.seq}`) &&
        !this.#lostTail()
      )
        throw new Objection(this.name, `partition ${partition} at ${problem.seq}: ${problem.message}`)
    }
  }

  /** A tail that was lost unnoticed shows in what other partitions say of it. */
  #lostTail(): boolean {
    return [...this.#world.hurts.values()].some(({ kind }) => kind === 'tail')
  }
}

/** A damaged checkpoint is found as well; the log is whole without it. */
const isCheckpoint = (hurt: Hurt | undefined, seq: number): boolean =>
  hurt?.kind === 'checkpoint' && hurt.seq === seq
