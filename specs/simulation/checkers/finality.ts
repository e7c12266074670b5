import { isFinal } from '../world/Life.ts'
import type { Move } from '../world/Move.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** Invariant 3, second half: a final state never changes. */
export class FinalityChecker implements Checker {
  readonly name = 'finality'

  constructor(_world: World) {}

  moving({ frame, event, queue, message, life }: Move): void {
    if (isFinal(life.state))
      throw new Objection(
        this.name,
        `${event.type} at ${frame.seq} of ${frame.partition}/${queue.id}/${message.number}, which is ${life.state} since ${life.sinceSeq}`,
      )
  }
}
