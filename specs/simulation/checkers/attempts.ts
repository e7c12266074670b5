import { attemptsMaxOf } from '@kiroku/protocol'
import type { Move } from '../world/Move.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * Invariant 2, second half: attempts never exceed the limit in force, and no message is given up before it.
 */
export class AttemptsChecker implements Checker {
  readonly name = 'attempts'

  constructor(_world: World) {}

  moving(move: Move): void {
    const { event, life, queue, sub } = move
    const { retriesMax, exhaustion } = queue.configOf(sub)
    const limitNow = attemptsMaxOf(retriesMax)
    if (event.type === 'Delivered') {
      if (event.attemptsMax !== limitNow)
        throw this.#object(move, `the limit is ${event.attemptsMax}, but ${limitNow} is in force`)
      const isOver =
        exhaustion === 'onNextReceive'
          ? life.attempt >= limitNow
          : life.attempt > 0 && life.attempt >= life.attemptsMax
      // A limit that was changed meanwhile, or when it counts, binds from then on.
      if (isOver && queue.configured === 0)
        throw this.#object(move, `it is delivered again after ${life.attempt} attempts of ${limitNow}`)
      return
    }
    const isGivenUp =
      event.type === 'DeadLettered' || (event.type === 'Discarded' && event.reason === 'exhausted')
    if (!isGivenUp) return
    const limit = event.cause === 'nextReceive' ? limitNow : life.attemptsMax
    if (event.cause !== 'onPurpose' && life.attempt < limit)
      throw this.#object(move, `it is given up after ${life.attempt} attempts of ${limit}`)
  }

  #object({ frame, queue, message }: Move, text: string): Objection {
    const where = `${frame.partition}/${queue.id}/${message.number} at ${frame.seq}`
    return new Objection(this.name, `${where}: ${text}`)
  }
}
