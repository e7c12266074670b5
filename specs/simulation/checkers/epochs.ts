import type { Command, Reply } from '@kiroku/protocol'
import type { Exchange } from '../world/Exchange.ts'
import type { Stored } from '../world/Stored.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * A former owner answers nothing: a request made after another node's ownership began, with honest locks, is
 * not answered by the one before. And no answer names a sequence that is not stored.
 */
export class EpochsChecker implements Checker {
  readonly name = 'epochs'
  readonly #world: World
  /** By partition: epoch, node and beginning of the present ownership by another node than before, in ms. */
  readonly #owners = new Map<
    number,
    { readonly epoch: number; readonly node: string; readonly sinceMs: number }
  >()

  constructor(world: World) {
    this.#world = world
  }

  stored({ partition, record, node, storedMs }: Stored): void {
    for (const e of record.events) {
      // A repair has no lock, and asks for none.
      if (e.type !== 'OwnerChanged' || e.part !== e.of || e.node === 'repair') continue
      if (this.#owners.get(partition)?.node !== node)
        this.#owners.set(partition, { epoch: record.epoch, node, sinceMs: storedMs })
    }
  }

  givenUp(partition: number): void {
    this.#owners.delete(partition)
  }

  left({ partition, sentMs, node, commands }: Exchange, { epoch, seq, answers }: Reply): void {
    if (epoch === 0) return
    if (seq > (this.#world.truth.lastSeq(partition) ?? 0) + strayMax)
      throw new Objection(this.name, `partition ${partition}: an answer rests on ${seq}, which is not stored`)
    const owner = this.#owners.get(partition)
    if (owner === undefined || this.#world.placement.dishonest.has(partition)) return
    if (
      epoch < owner.epoch &&
      sentMs > owner.sinceMs &&
      answers.some((a, i) => a.ok !== undefined && tells(commands[i]!))
    )
      throw new Objection(
        this.name,
        `partition ${partition}: ${node} answers in epoch ${epoch} what was asked at ${sentMs}, after epoch ${owner.epoch} began at ${owner.sinceMs}`,
      )
  }
}

/** Foreign records are not of the log. */
const strayMax = 20

/** What an actor says of itself, with its epoch, says nothing of its queues. */
const tells = ({ type }: Command): boolean => type !== 'DescribePartition'
