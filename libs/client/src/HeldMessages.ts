/** The messages that one of a consumer's handlers has, and whether it has room for another batch. */
export class HeldMessages {
  readonly #max: number
  #count = 0
  #roomThere: () => void = () => {}

  /** @param max with fewer than this many there is room */
  constructor(max: number) {
    this.#max = max
  }

  add(count: number): void {
    this.#count += count
  }

  remove(count: number): void {
    this.#count -= count
    if (this.#count < this.#max) this.#roomThere()
  }

  /** Resolves when there is room. */
  async room(): Promise<void> {
    if (this.#count >= this.#max) await new Promise<void>((resolve) => (this.#roomThere = resolve))
  }
}
