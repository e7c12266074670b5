import { deletionsMin } from './deletionsMin.ts'

/** A set for values that come and go quickly: see {@link ChurnMap}. */
export class ChurnSet<T> {
  #set = new Set<T>()
  #deletions = 0

  get size(): number {
    return this.#set.size
  }

  has(value: T): boolean {
    return this.#set.has(value)
  }

  add(value: T): void {
    this.#set.add(value)
  }

  /** Whether it was there. */
  delete(value: T): boolean {
    if (!this.#set.delete(value)) return false
    if (++this.#deletions >= deletionsMin + 2 * this.#set.size) {
      this.#deletions = 0
      this.#set = new Set(this.#set)
    }
    return true
  }

  clear(): void {
    this.#set = new Set()
    this.#deletions = 0
  }

  [Symbol.iterator](): SetIterator<T> {
    return this.#set.values()
  }
}
