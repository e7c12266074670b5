import type { World } from '../world/World.ts'
import type { Stored } from '../world/Stored.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * Every redrive comes to an end, and moves nothing but what was selected; that each message arrives once is the dead
 * letters' checker's.
 */
export class RedrivesChecker implements Checker {
  readonly name = 'redrives'
  readonly #world: World
  /** Of each redrive; a repair may have given up another one with its number. */
  readonly #selections = new Map<string, readonly number[] | undefined>()

  constructor(world: World) {
    this.#world = world
  }

  stored({ partition, record }: Stored): void {
    for (const e of record.events)
      if (e.type === 'RedriveStarted') this.#selections.set(`${partition} ${e.queue} ${e.task}`, e.selection)
      else if (e.type === 'Redriven') {
        const selection = this.#selections.get(`${partition} ${e.queue} ${e.task}`)
        if (selection === undefined) continue
        for (let i = 0; i < e.numbers.length; i += 2)
          for (let n = e.numbers[i]!, end = n + e.numbers[i + 1]!; n < end; n++)
            if (!isIn(selection, n))
              throw new Objection(this.name, `redrive ${e.task} moves message ${n}, which was not selected`)
      }
  }

  ended(): void {
    for (const { partition, redrives } of this.#world.truth.ledgers)
      for (const task of redrives.keys())
        throw new Objection(this.name, `redrive ${task} of partition ${partition} is still running`)
  }
}

const isIn = (ranges: readonly number[], n: number): boolean =>
  ranges.some((first, i) => i % 2 === 0 && first <= n && n < first + ranges[i + 1]!)
