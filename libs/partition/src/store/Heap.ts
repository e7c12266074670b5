/** A binary heap of values by a key that the caller keeps; for runs that wait for their time and for polls. */
export class Heap<T> {
  readonly items: T[] = []
  readonly #key: (item: T) => number
  readonly #placed: ((item: T, place: number) => void) | undefined

  /** @param placed is told where each item stands, and -1 when it has left; for items that `remove` takes out */
  constructor(key: (item: T) => number, placed?: (item: T, place: number) => void) {
    this.#key = key
    this.#placed = placed
  }

  get size(): number {
    return this.items.length
  }

  peek(): T | undefined {
    return this.items[0]
  }

  push(item: T): void {
    this.items.push(item)
    this.#rise(this.items.length - 1, item)
  }

  pop(): T | undefined {
    const top = this.items[0]
    if (top !== undefined) this.remove(0)
    return top
  }

  /** Takes out the item that stands at a place. */
  remove(place: number): void {
    const items = this.items
    const item = items[place]!
    const last = items.pop()!
    this.#placed?.(item, -1)
    if (item === last) return
    const parent = (place - 1) >> 1
    if (place > 0 && this.#key(last) < this.#key(items[parent]!)) this.#rise(place, last)
    else this.#sink(place, last)
  }

  /** Keeps only what `keep` says and puts the rest in order. */
  filter(keep: (item: T) => boolean): void {
    let n = 0
    for (const item of this.items)
      if (keep(item)) this.#put(item, n++)
      else this.#placed?.(item, -1)
    this.items.length = n
    for (let i = (n >> 1) - 1; i >= 0; i--) this.#sink(i, this.items[i]!)
  }

  #put(item: T, place: number): void {
    this.items[place] = item
    this.#placed?.(item, place)
  }

  #rise(start: number, item: T): void {
    const items = this.items
    const at = this.#key(item)
    let pos = start
    while (pos > 0) {
      const parent = (pos - 1) >> 1
      if (this.#key(items[parent]!) <= at) break
      this.#put(items[parent]!, pos)
      pos = parent
    }
    this.#put(item, pos)
  }

  #sink(start: number, item: T): void {
    const items = this.items
    const at = this.#key(item)
    let pos = start
    for (;;) {
      let child = 2 * pos + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#key(items[child + 1]!) < this.#key(items[child]!)) child++
      if (this.#key(items[child]!) >= at) break
      this.#put(items[child]!, pos)
      pos = child
    }
    this.#put(item, pos)
  }
}
