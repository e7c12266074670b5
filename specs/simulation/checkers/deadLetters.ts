import type { LogEventOf } from '@kiroku/protocol'
import { laneKey, type Lane } from '../world/Lanes.ts'
import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import { erasedLabel } from '../world/openStored.ts'
import { each } from '../world/ranges.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * What crosses partitions arrives once, in its order, as what it was; in the end all of it has, or still waits for a
 * queue that was deleted.
 */
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
    for (const e of record.events) if (e.type === 'Readdressed') this.#readdressed(partition, e)
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
        // What was brought back and left again also needs the key of where it lay meanwhile.
        const isErased = label === erasedLabel && (letter.message!.isErased || letter.message!.isForwarded)
        if (letter.label !== label && !isBodiless && !isErased)
          throw this.#object(`letter ${forward} of ${key} arrives as "${label}", but was "${letter.label}"`)
      }
    }
  }

  /** Only what a queue that is gone never stored goes elsewhere. */
  #readdressed(partition: number, { source, from, forwards }: LogEventOf<'Readdressed'>): void {
    const key = laneKey({ partition, queue: source }, from)
    if (this.#partial.has(partition) || this.#partial.has(from.partition)) return
    const there = this.#world.truth.ledgers[from.partition]!
    if (there.queues.get(from.queue)?.isDeleted !== true)
      throw this.#object(`letters of ${key} go elsewhere, although their queue is there`)
    const arrived = new Set(there.lanes.arrived.get(key)?.letters.map(({ forward }) => forward))
    for (const forward of each(forwards))
      if (arrived.has(forward)) throw this.#object(`letter ${forward} of ${key} goes elsewhere, but arrived`)
  }

  ended(): void {
    this.#leaveNoNumber()
    const { truth, placement } = this.#world
    const { ledgers } = truth
    for (const { partition, lanes } of ledgers)
      for (const [key, lane] of lanes.left) {
        if (this.#isPartial(lane)) continue
        const { source, target, letters } = lane
        const there = ledgers[target.partition]!
        const arrived = new Set(there.lanes.arrived.get(key)?.letters.map(({ forward }) => forward))
        const name = there.queues.get(target.queue)?.name
        const hasHeir = [...there.queues.values()].some((q) => q.name === name && !q.isDeleted)
        const { state } = placement.ownerOf(partition)!.node.actors.get(partition)!
        const waiting = hasHeir
          ? undefined
          : state.outbox.get(`${source.queue}>${target.partition}/${target.queue}`)?.entries
        for (const { forward } of waiting ?? []) arrived.add(forward)
        const missing = letters.find(({ forward }) => !arrived.has(forward))
        if (missing !== undefined)
          throw this.#object(`letter ${missing.forward} of ${key} ("${missing.label}") never arrived`)
      }
  }

  /** Of a queue that was deleted, and whose letters have all arrived, no target knows anything. */
  #leaveNoNumber(): void {
    const { truth, placement } = this.#world
    for (const { partition } of truth.ledgers) {
      const { state } = placement.ownerOf(partition)!.node.actors.get(partition)!
      for (const key of state.forwardsSeen.keys()) {
        const [queue, from] = key.split(/[>/]/).map(Number) as [number, number]
        if (this.#partial.has(partition) || this.#partial.has(from)) continue
        const source = placement.ownerOf(from)!.node.actors.get(from)!.state
        if (!source.queues.has(queue) && !source.outbox.has(`${queue}>${partition}/${key.split('/')[1]}`))
          throw this.#object(
            `partition ${partition} remembers letters of queue ${from}/${queue}, which is gone`,
          )
      }
    }
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}
