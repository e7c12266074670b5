/** Chance by a seed and a name (mulberry32): streams of different names know nothing of each other. */
export class Chance {
  readonly #seed: number
  #state: number

  constructor(seed: number, name = '') {
    let hash = Math.imul(seed ^ (seed / 0x1_0000_0000), 0x9e3779b1) ^ 0x811c9dc5
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
    this.#seed = hash
    this.#state = hash
    // The first values of neighbouring seeds are alike.
    this.next()
  }

  /** A stream of its own. */
  stream(name: string): Chance {
    return new Chance(this.#seed, name)
  }

  /** 0 (included) to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** A whole number from 0 to `n - 1`. */
  below(n: number): number {
    return Math.floor(this.next() * n)
  }

  /** True in this share of cases. */
  happens(share: number): boolean {
    return share > 0 && this.next() < share
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!
  }

  /** One of the names, by their weights. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [name, weight] of entries) if ((left -= weight) < 0) return name
    return entries[0]![0]
  }
}
