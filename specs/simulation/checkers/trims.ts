import { isFinal } from '../world/Life.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** The log is never trimmed past the body of a message that is live or whose dead letter has not arrived. */
export class TrimsChecker implements Checker {
  readonly name = 'trims'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  trimming(partition: number, upTo: number): void {
    const { truth, coverage } = this.#world
    const ledger = truth.ledgers[partition]!
    coverage.add('check', 'log trimmed')
    for (const { id, messages, isDeleted } of ledger.queues.values()) {
      if (isDeleted) continue
      for (const { number, bodySeq, lives } of messages.values())
        for (const { state } of lives.values())
          if (bodySeq <= upTo && !isFinal(state))
            throw this.#object(
              `${partition}/${id}/${number} is ${state}; its body in ${bodySeq} goes with ${upTo}`,
            )
    }
    for (const [key, { target, letters }] of ledger.lanes.left) {
      if (this.#world.hurts.has(partition) || this.#world.hurts.has(target.partition)) continue
      const there = truth.ledgers[target.partition]!
      const arrived = there.lanes.arrived.get(key)?.letters.at(-1)?.forward ?? 0
      for (const { forward, bodySeq } of letters)
        if (forward > arrived && bodySeq! <= upTo)
          throw this.#object(`letter ${forward} of ${key} has not arrived; its body goes with ${upTo}`)
    }
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}
