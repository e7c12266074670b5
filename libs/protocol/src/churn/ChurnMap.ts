/** Deletions, beyond twice as many as there are entries, before a map starts afresh. */
const deletionsMin = 32

/**
 * A map for entries that come and go quickly, such as requests in flight. When the table behind a `Map` is full, V8 replaces it
 * and leaves a pointer to the new one in it. So a single dead table that has become old keeps all later ones alive, with
 * everything that was in them, until the next full collection: short-lived objects become old, and full collections follow each
 * other within seconds. This map starts afresh every so often, which breaks the chain. An iteration may still meet what is
 * deleted while it runs.
 */
export class ChurnMap<K, V> {
  #map = new Map<K, V>()
  #deletions = 0

  get size(): number {
    return this.#map.size
  }

  get(key: K): V | undefined {
    return this.#map.get(key)
  }

  has(key: K): boolean {
    return this.#map.has(key)
  }

  set(key: K, value: V): void {
    this.#map.set(key, value)
  }

  /** Whether it was there. */
  delete(key: K): boolean {
    if (!this.#map.delete(key)) return false
    if (++this.#deletions >= deletionsMin + 2 * this.#map.size) {
      this.#deletions = 0
      this.#map = new Map(this.#map)
    }
    return true
  }

  clear(): void {
    this.#map = new Map()
    this.#deletions = 0
  }

  keys(): MapIterator<K> {
    return this.#map.keys()
  }

  values(): MapIterator<V> {
    return this.#map.values()
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.#map.entries()
  }
}
