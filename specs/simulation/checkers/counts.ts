import type { QueueCounts } from '@kiroku/protocol'
import type { Party } from '../core/Party.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** What one client reads of a queue never goes back, and never says more than the log does. */
export class CountsChecker implements Checker {
  readonly name = 'counts'
  readonly #world: World
  readonly #last = new Map<string, QueueCounts>()

  constructor(world: World) {
    this.#world = world
  }

  read({ name }: Party, partition: number, queue: number, counts: QueueCounts): void {
    // The answer may have left before a part of the log was lost or given up.
    if (this.#world.hurts.has(partition)) return
    const where = `${partition}/${queue}`
    const ledger = this.#world.truth.ledgers[partition]!.queues.get(queue)
    if (ledger === undefined) throw this.#object(`${name} reads queue ${where}, which is not stored`)
    // What the parts of a spread queue have counts with it.
    if (this.#world.plan.queues.some((q) => q.name === ledger.name && q.isSpreadable === true)) return
    if (counts.sent > ledger.messages.size)
      throw this.#object(
        `${name} reads ${counts.sent} messages in ${where}, but ${ledger.messages.size} are stored`,
      )
    const before = this.#last.get(`${name} ${where}`)
    this.#last.set(`${name} ${where}`, counts)
    // A reset restarts the count.
    const counted = [...ledger.generations.values()].some((g) => g.isOver) ? (['sent'] as const) : all
    for (const what of counted)
      if (before !== undefined && counts[what] < before[what])
        throw this.#object(`${name} reads ${counts[what]} ${what} in ${where}, after ${before[what]}`)
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}

const all = ['sent', 'committed', 'deadLettered', 'discarded'] as const
