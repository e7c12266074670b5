import type { Move } from '../world/Move.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * Invariant 5: a message is leased to one consumer of a subscription at a time. Checked against the true time
 * as well: a lease of L ms that was not given back does not end before L ms have passed, whatever any clock
 * says.
 */
export class LeasesChecker implements Checker {
  readonly name = 'leases'
  readonly #world: World
  /** Lengths of leases in ms, by partition, delivery. */
  readonly #lengths = new Map<string, number>()

  constructor(world: World) {
    this.#world = world
  }

  moving(move: Move): void {
    const { event, life, frame } = move
    if (event.type === 'Delivered') {
      if (life.state === 'Inflight')
        throw this.#object(move, `delivery ${event.delivery} begins while ${life.delivery} holds it`)
      this.#lengths.set(`${frame.partition} ${event.delivery}`, event.leaseUntil - frame.record.at)
      return
    }
    const isExpiry =
      event.type === 'LeaseExpired' ||
      ((event.type === 'DeadLettered' || event.type === 'Discarded') && event.cause === 'leaseExpired')
    // What was lost or given up may have lengthened it.
    if (!isExpiry || life.isExtended || this.#world.hurts.has(frame.partition)) return
    const length = this.#lengths.get(`${frame.partition} ${life.delivery}`)
    const passed = frame.sentMs - life.leasedMs
    // Partition time is in whole ms.
    if (length !== undefined && passed < length - roundingMs)
      throw this.#object(move, `its lease of ${length} ms is over after ${passed} ms`)
  }

  #object({ frame, queue, message }: Move, text: string): Objection {
    const where = `${frame.partition}/${queue.id}/${message.number} at ${frame.seq}`
    return new Objection(this.name, `${where}: ${text}`)
  }
}

const roundingMs = 2
