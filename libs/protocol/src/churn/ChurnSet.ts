import { ChurnMap } from './ChurnMap.ts'

/** A set for values that come and go quickly: see {@link ChurnMap}. */
export class ChurnSet<T> {
  readonly #map = new ChurnMap<T, true>()

  get size(): number {
    return this.#map.size
  }

  has(value: T): boolean {
    return this.#map.has(value)
  }

  add(value: T): void {
    this.#map.set(value, true)
  }

  /** Whether it was there. */
  delete(value: T): boolean {
    return this.#map.delete(value)
  }

  clear(): void {
    this.#map.clear()
  }

  [Symbol.iterator](): MapIterator<T> {
    return this.#map.keys()
  }
}
