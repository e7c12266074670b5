import type { Random } from './random.ts'

/** Draws by chance, each card once before any comes again. */
export class Deck<A> {
  readonly #cards: readonly A[]
  readonly #random: Random
  #left: A[] = []

  constructor(cards: readonly A[], random: Random) {
    this.#cards = cards
    this.#random = random
  }

  draw(): A {
    if (this.#left.length === 0) this.#left = [...this.#cards]
    return this.#left.splice(this.#random.int(this.#left.length), 1)[0]!
  }
}
