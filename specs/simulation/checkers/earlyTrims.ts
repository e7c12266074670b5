import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** An ownership of a partition, and what its log took since it began, or since it was trimmed last. */
interface Ownership {
  readonly node: string
  readonly beganMs: number
  bytesMost: number
}

/** A log loses what its record's limits keep only where its owner knew that the store that all partitions share runs short. */
export class EarlyTrimsChecker implements Checker {
  readonly name = 'early trims'
  readonly #world: World
  readonly #owners = new Map<number, Ownership>()

  constructor(world: World) {
    this.#world = world
  }

  storing({ partition, node, sentMs, record }: Stored): void {
    const isBegun = record.events.some((e) => e.type === 'OwnerChanged' && e.part === 1)
    if (isBegun) this.#owners.set(partition, { node, beganMs: sentMs, bytesMost: 0 })
    const owner = this.#owners.get(partition)
    if (owner === undefined) return
    this.#measure(partition, owner)
    const { plan, hurts, coverage } = this.#world
    // Only its owner knows how little room its own log has.
    if (plan.store?.limits === 'logs' || hurts.has(partition)) return
    for (const e of record.events) {
      if (e.type !== 'Trimmed' || this.#isBeyondLimits(partition, owner, e.upTo, record.at)) continue
      const process = this.#world.placement.processes.find(({ name }) => name === owner.node)
      if (process === undefined) continue
      if (process.log.known.shortMs < owner.beganMs)
        throw new Objection(
          this.name,
          `${node} trims partition ${partition} to ${e.upTo}, which its record's limits keep, and knows of no want of room`,
        )
      coverage.add('check', 'log trimmed early')
    }
  }

  trimming(partition: number, _upTo: number, node: string): void {
    const owner = this.#owners.get(partition)
    if (owner === undefined) return
    this.#measure(partition, owner)
    if (node === owner.node) owner.bytesMost = 0
  }

  #measure(partition: number, owner: Ownership): void {
    const { bytes, checkpointBytes } = this.#world.log.faults.stored(partition)
    owner.bytesMost = Math.max(owner.bytesMost, bytes + checkpointBytes)
  }

  /** Whether the record is too large, or nothing younger than its age goes. */
  #isBeyondLimits(partition: number, { bytesMost }: Ownership, upTo: number, at: number): boolean {
    const { recordBytes, recordMs, partitions } = this.#world.log.meta
    if (bytesMost > recordBytes / partitions) return true
    const next = this.#world.truth.frames[partition]!.find(({ seq }) => seq > upTo)
    return next !== undefined && next.record.at <= at - recordMs
  }
}
