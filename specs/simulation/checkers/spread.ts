import { isFinal } from '../world/Life.ts'
import type { Move } from '../world/Move.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** A part of a spread queue goes when nothing is left in it, unless its home was deleted; and once it is sealed it does go. */
export class SpreadChecker implements Checker {
  readonly name = 'spread'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  moving({ frame, event, queue, message, life }: Move): void {
    if (event.type !== 'QueueDeleted' || queue.home === undefined || isFinal(life.state)) return
    const home = this.#world.truth.ledgers[queue.home.partition]!.queues.get(queue.home.queue)
    if (home?.isDeleted === false)
      throw new Objection(
        this.name,
        `part ${frame.partition}/${queue.id} of "${queue.name}" is dropped at ${frame.seq}, and message ${message.number} is ${life.state}`,
      )
  }

  ended(): void {
    if (this.#world.hurts.size > 0) return
    for (const { partition, queues } of this.#world.truth.ledgers)
      for (const { id, name, home, isDeleted } of queues.values())
        if (home !== undefined && !isDeleted)
          throw new Objection(this.name, `part ${partition}/${id} of "${name}" is still there`)
  }
}
