import { seeded, type Random } from '../chaos/random.ts'

/** Chance by a seed. */
export class Chance {
  readonly #random: Random

  constructor(seed: number) {
    this.#random = seeded(seed)
  }

  /** From 0 up to 1. */
  next(): number {
    return this.#random.next()
  }

  pick<A>(from: readonly A[]): A {
    return from[this.#random.int(from.length)]!
  }

  /** Whether something happens that does so in this share of all cases. */
  is(share: number): boolean {
    return this.next() < share
  }
}
