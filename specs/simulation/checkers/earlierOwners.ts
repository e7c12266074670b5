import type { Reply } from '@kiroku/partition'
import type { Party } from '../core/Party.ts'
import type { Exchange } from '../world/Exchange.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** Who was told something by an owner is told nothing by an earlier one after that. */
export class EarlierOwnersChecker implements Checker {
  readonly name = 'earlier owners'
  /** By who asks and partition: epoch of the last reply that arrived, and the highest one that was used. */
  readonly #arrived = new Map<string, number>()
  readonly #used = new Map<string, number>()

  heard({ from, partition, commands }: Exchange, { epoch }: Reply): void {
    // Epoch 0 is of nobody who owns it.
    if (epoch > 0 && commands[0]?.type === 'DescribeQueue')
      this.#arrived.set(`${from.name} ${partition}`, epoch)
  }

  read({ name }: Party, partition: number): void {
    const key = `${name} ${partition}`
    const epoch = this.#arrived.get(key)!
    const before = this.#used.get(key) ?? 0
    if (epoch < before)
      throw new Objection(
        this.name,
        `${name} takes what partition ${partition} says in epoch ${epoch}, after epoch ${before}`,
      )
    this.#used.set(key, epoch)
  }
}
