/** What is taken is forgotten at once, also while the queue never runs empty. */
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #next = 0

  get size(): number {
    return this.#items.length - this.#next
  }

  push(item: T): void {
    this.#items.push(item)
  }

  peek(): T | undefined {
    return this.#items[this.#next]
  }

  /** Puts items ahead of the others, in their order. */
  putBack(items: readonly T[]): void {
    this.#items = [...items, ...this.#items.slice(this.#next)]
    this.#next = 0
  }

  /** Takes the oldest item, which must be there. */
  take(): T {
    const item = this.#items[this.#next]!
    this.#items[this.#next++] = undefined
    if (this.#next === this.#items.length) {
      this.#items = []
      this.#next = 0
    } else if (this.#next >= 1_024 && this.#next * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#next)
      this.#next = 0
    }
    return item
  }
}
