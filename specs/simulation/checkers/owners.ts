import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** Invariant 4: epochs only grow, each belongs to one node, and begins with an `OwnerChanged`. */
export class OwnersChecker implements Checker {
  readonly name = 'owners'
  readonly #world: World
  /** Epoch and node that write, by partition. */
  readonly #owners = new Map<
    number,
    { readonly epoch: number; readonly node: string; readonly seq: number }
  >()

  constructor(world: World) {
    this.#world = world
  }

  storing(frame: Stored): void {
    const { partition, seq, record, node } = frame
    const now = this.#owners.get(partition)
    const { epoch } = record
    const change = record.events.find((e) => e.type === 'OwnerChanged')
    if (now !== undefined && epoch < now.epoch)
      throw this.#object(
        `partition ${partition}: ${seq} is of epoch ${epoch} of ${node}, after epoch ${now.epoch} of ${now.node} began at ${now.seq}`,
      )
    if (change === undefined) {
      if (now === undefined || epoch > now.epoch)
        throw this.#object(
          `partition ${partition}: epoch ${epoch} begins at ${seq} without a change of owners`,
        )
      if (node !== now.node)
        throw this.#object(
          `partition ${partition}: ${seq} of epoch ${epoch} is by ${node}, which ${now.node} owns`,
        )
      return
    }
    if (change.epoch !== epoch || (change.part === 1) !== (epoch !== now?.epoch))
      throw this.#object(`partition ${partition}: part ${change.part} of epoch ${change.epoch} at ${seq}`)
    if (now !== undefined && change.part === 1 && change.node !== now.node && node !== 'nobody')
      this.#world.coverage.add('seed', 'owners changed')
    this.#owners.set(partition, { epoch, node: change.part === 1 ? node : now!.node, seq })
  }

  givenUp(partition: number, from: number): void {
    const last = this.#world.truth.frames[partition]!.findLast(({ seq }) => seq < from)
    const now = this.#owners.get(partition)
    if (now === undefined || now.seq < from) return
    if (last === undefined) this.#owners.delete(partition)
    else this.#owners.set(partition, { epoch: last.record.epoch, node: last.node, seq: last.seq })
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}
