import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** Partition time never runs back, and under one owner it goes as fast as the true time, whatever a wall clock says. */
export class PartitionTimeChecker implements Checker {
  readonly name = 'partition time'
  readonly #world: World
  /** The first decided frame of the epoch, by partition, and the last one. */
  readonly #first = new Map<number, Stored>()
  readonly #last = new Map<number, Stored>()

  constructor(world: World) {
    this.#world = world
  }

  storing(frame: Stored): void {
    const { partition, seq, record, sentMs } = frame
    const last = this.#last.get(partition)
    if (last !== undefined && record.at < last.record.at)
      throw this.#object(`${partition}: time goes back from ${last.record.at} to ${record.at} at ${seq}`)
    this.#last.set(partition, frame)
    // A fence carries the time of the frame before it.
    if (record.events.some((e) => e.type === 'OwnerChanged')) {
      this.#first.delete(partition)
      return
    }
    const first = this.#first.get(partition)
    if (first === undefined) {
      this.#first.set(partition, frame)
      return
    }
    const drift = record.at - first.record.at - (sentMs - first.sentMs)
    if (Math.abs(drift) > roundingMs)
      throw this.#object(
        `${partition}: from ${first.seq} to ${seq} partition time went ${drift} ms ahead of true time`,
      )
  }

  givenUp(partition: number, from: number): void {
    const last = this.#world.truth.frames[partition]!.findLast(({ seq }) => seq < from)
    if (last === undefined) this.#last.delete(partition)
    else this.#last.set(partition, last)
    this.#first.delete(partition)
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}

const roundingMs = 2
