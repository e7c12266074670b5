import type { Lane } from '../world/Lanes.ts'
import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** What crosses partitions arrives once, in its order, as what it was; in the end all of it has. */
export class DeadLettersChecker implements Checker {
  readonly name = 'dead letters'
  readonly #world: World
  /** Partitions of which a part was lost or given up: their ends of lanes are not whole. */
  readonly #partial = new Set<number>()

  constructor(world: World) {
    this.#world = world
  }

  givenUp(partition: number): void {
    this.#partial.add(partition)
  }

  #isPartial({ source, target }: Lane): boolean {
    return this.#partial.has(source.partition) || this.#partial.has(target.partition)
  }

  /** Only what is new since the last frame is looked at. */
  stored({ partition, seq, record }: Stored): void {
    if (!record.events.some((e) => e.type === 'ForwardReceived')) return
    for (const [key, arrived] of this.#world.truth.ledgers[partition]!.lanes.arrived) {
      if (this.#isPartial(arrived)) continue
      const from = this.#world.truth.ledgers[arrived.source.partition]!.lanes.left.get(key)
      const fresh = arrived.letters.filter((letter) => letter.seq === seq)
      const before = arrived.letters[arrived.letters.length - fresh.length - 1]?.forward
      let last = before ?? 0
      for (const { forward, label } of fresh) {
        if (forward <= last) throw this.#object(`letter ${forward} of ${key} arrives after ${last}`)
        last = forward
        const letter = from?.letters.find((l) => l.forward === forward)
        if (letter === undefined)
          throw this.#object(`letter ${forward} of ${key} ("${label}") was never sent`)
        // A body that a repair gave up.
        const isBodiless = label === '' && this.#world.hurts.has(arrived.source.partition)
        if (letter.label !== label && !isBodiless)
          throw this.#object(`letter ${forward} of ${key} arrives as "${label}", but was "${letter.label}"`)
      }
    }
  }

  ended(): void {
    const { ledgers } = this.#world.truth
    for (const { lanes } of ledgers)
      for (const [key, lane] of lanes.left) {
        if (this.#isPartial(lane)) continue
        const { target, letters } = lane
        const there = ledgers[target.partition]!
        if (there.queues.get(target.queue)?.isDeleted !== false) continue
        const arrived = new Set(there.lanes.arrived.get(key)?.letters.map(({ forward }) => forward))
        const missing = letters.find(({ forward }) => !arrived.has(forward))
        if (missing !== undefined)
          throw this.#object(`letter ${missing.forward} of ${key} ("${missing.label}") never arrived`)
      }
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}
