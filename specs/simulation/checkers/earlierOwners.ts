import type { QueueCounts, Reply } from '@kiroku/protocol'
import type { Party } from '../core/Party.ts'
import type { Exchange } from '../world/Exchange.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** A client that got an answer from an owner gets none from an earlier one after that. */
export class EarlierOwnersChecker implements Checker {
  readonly name = 'earlier owners'
  /** Epoch of the reply that counts came with. */
  readonly #epochs = new WeakMap<QueueCounts, number>()
  /** By who asks and partition: the highest epoch that was believed. */
  readonly #believed = new Map<string, number>()

  heard(_: Exchange, { epoch, answers }: Reply): void {
    for (const { ok } of answers) if (ok !== undefined && 'counts' in ok) this.#epochs.set(ok.counts, epoch)
  }

  read({ name }: Party, partition: number, _queue: number, counts: QueueCounts): void {
    const key = `${name} ${partition}`
    const epoch = this.#epochs.get(counts)
    // What is added up of a spread queue's parts came with several.
    if (epoch === undefined) return
    const before = this.#believed.get(key) ?? 0
    if (epoch < before)
      throw new Objection(
        this.name,
        `${name} takes what partition ${partition} says in epoch ${epoch}, after epoch ${before}`,
      )
    this.#believed.set(key, epoch)
  }
}
