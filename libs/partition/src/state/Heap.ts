/** A binary heap of values by a key that the caller keeps; for runs that wait for their time and for polls. */
export class Heap<T> {
  readonly items: T[] = []
  readonly #key: (item: T) => number

  constructor(key: (item: T) => number) {
    this.#key = key
  }

  get size(): number {
    return this.items.length
  }

  peek(): T | undefined {
    return this.items[0]
  }

  push(item: T): void {
    const items = this.items
    const at = this.#key(item)
    let pos = items.length
    items.push(item)
    while (pos > 0) {
      const parent = (pos - 1) >> 1
      if (this.#key(items[parent]!) <= at) break
      items[pos] = items[parent]!
      pos = parent
    }
    items[pos] = item
  }

  pop(): T | undefined {
    const items = this.items
    const top = items[0]
    const last = items.pop()
    if (items.length > 0) this.#sink(0, last!)
    return top
  }

  /** Keeps only what `keep` says and puts the rest in order. */
  filter(keep: (item: T) => boolean): void {
    let n = 0
    for (const item of this.items) if (keep(item)) this.items[n++] = item
    this.items.length = n
    for (let i = (n >> 1) - 1; i >= 0; i--) this.#sink(i, this.items[i]!)
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
      items[pos] = items[child]!
      pos = child
    }
    items[pos] = item
  }
}
