const none = -1
/** Words of a key: it has 128 bits. */
const words = 4
/** Places from which on room that is not needed is given back. */
const shrinksFrom = 1_024
/** Bytes of a key. */
export const dedupKeyBytes = words * 4

/** The keys of a queue as a value, oldest first. */
export interface DedupCopy {
  readonly keys: Uint32Array
  readonly numbers: Float64Array
  readonly ats: Float64Array
}

/**
 * What a queue remembers of its sends: keys of 128 bits in the order of their time, each with the number of the
 * message that was stored for it, in a ring with a table over it: about 40 bytes a key.
 */
export class DedupKeys {
  /** Keys that are remembered. */
  size = 0
  #capacity: number
  #keys: Uint32Array
  /** 0 marks a key that was forgotten out of turn. */
  #numbers: Float64Array
  #ats: Float64Array
  /** Places by key. */
  #table: Int32Array
  #head = 0
  #used = 0

  constructor(capacity = 16) {
    this.#capacity = capacity
    this.#keys = new Uint32Array(capacity * words)
    this.#numbers = new Float64Array(capacity)
    this.#ats = new Float64Array(capacity)
    this.#table = new Int32Array(capacity * 2).fill(none)
  }

  /** The message for a key that came after `since`; 0: none. The key begins at `offset`, in bytes. */
  find(keys: Uint8Array, offset: number, since: number): number {
    const place = this.#find(
      word(keys, offset, 0),
      word(keys, offset, 1),
      word(keys, offset, 2),
      word(keys, offset, 3),
    )
    return place === none || this.#ats[place]! <= since ? 0 : this.#numbers[place]!
  }

  /** Remembers a key, in place of an equal one; times never go back. */
  add(keys: Uint8Array, offset: number, number: number, at: number): void {
    this.#add(
      word(keys, offset, 0),
      word(keys, offset, 1),
      word(keys, offset, 2),
      word(keys, offset, 3),
      number,
      at,
    )
  }

  /** Forgets what came at `upTo` or before. */
  expire(upTo: number): void {
    while (this.#used > 0 && this.#ats[this.#head]! <= upTo) {
      if (this.#numbers[this.#head] !== 0) this.#forget(this.#head)
      this.#head = (this.#head + 1) & (this.#capacity - 1)
      this.#used--
    }
    if (this.#capacity > shrinksFrom && this.#used * 8 < this.#capacity) this.#resize(this.#capacity / 4)
  }

  /** Forgets the key of one message, which came at `at`. */
  forget(number: number, at: number): void {
    const mask = this.#capacity - 1
    let low = 0
    let high = this.#used
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ats[(this.#head + middle) & mask]! < at) low = middle + 1
      else high = middle
    }
    for (; low < this.#used; low++) {
      const place = (this.#head + low) & mask
      if (this.#ats[place] !== at) return
      if (this.#numbers[place] === number) return this.#forget(place)
    }
  }

  /** When the oldest key came; infinity when there is none. */
  get oldestAt(): number {
    return this.#used === 0 ? Number.POSITIVE_INFINITY : this.#ats[this.#head]!
  }

  copy(): DedupCopy {
    const keys = new Uint32Array(this.size * words)
    const numbers = new Float64Array(this.size)
    const ats = new Float64Array(this.size)
    const mask = this.#capacity - 1
    for (let i = 0, n = 0; i < this.#used; i++) {
      const place = (this.#head + i) & mask
      if (this.#numbers[place] === 0) continue
      keys.set(this.#keys.subarray(place * words, (place + 1) * words), n * words)
      numbers[n] = this.#numbers[place]!
      ats[n++] = this.#ats[place]!
    }
    return { keys, numbers, ats }
  }

  static restore({ keys, numbers, ats }: DedupCopy): DedupKeys {
    let capacity = 16
    while (capacity < numbers.length) capacity *= 2
    const restored = new DedupKeys(capacity)
    for (let i = 0; i < numbers.length; i++) {
      const k = i * words
      restored.#add(keys[k]!, keys[k + 1]!, keys[k + 2]!, keys[k + 3]!, numbers[i]!, ats[i]!)
    }
    return restored
  }

  #add(a: number, b: number, c: number, d: number, number: number, at: number): void {
    const before = this.#find(a, b, c, d)
    if (before !== none) this.#forget(before)
    if (this.#used === this.#capacity)
      this.#resize(this.size > this.#capacity / 2 ? this.#capacity * 2 : this.#capacity)
    const place = (this.#head + this.#used++) & (this.#capacity - 1)
    this.#keys[place * words] = a
    this.#keys[place * words + 1] = b
    this.#keys[place * words + 2] = c
    this.#keys[place * words + 3] = d
    this.#numbers[place] = number
    this.#ats[place] = at
    this.#insert(place)
    this.size++
  }

  #find(a: number, b: number, c: number, d: number): number {
    const table = this.#table
    const keys = this.#keys
    const mask = table.length - 1
    // The keys are hashes: any word of them spreads well.
    for (let i = a & mask; ; i = (i + 1) & mask) {
      const place = table[i]!
      if (place === none) return none
      const k = place * words
      if (keys[k] === a && keys[k + 1] === b && keys[k + 2] === c && keys[k + 3] === d) return place
    }
  }

  #insert(place: number): void {
    const table = this.#table
    const mask = table.length - 1
    let i = this.#keys[place * words]! & mask
    while (table[i] !== none) i = (i + 1) & mask
    table[i] = place
  }

  #forget(place: number): void {
    const table = this.#table
    const mask = table.length - 1
    let i = this.#keys[place * words]! & mask
    while (table[i] !== place) i = (i + 1) & mask
    // Entries behind the hole move up, so that no marker of deleted ones is needed.
    let hole = i
    for (let j = (i + 1) & mask; table[j] !== none; j = (j + 1) & mask) {
      const home = this.#keys[table[j]! * words]! & mask
      if (((j - home) & mask) >= ((j - hole) & mask)) {
        table[hole] = table[j]!
        hole = j
      }
    }
    table[hole] = none
    this.#numbers[place] = 0
    this.size--
  }

  /** Moves to other space, without those that were forgotten out of turn. */
  #resize(capacity: number): void {
    const from = this.#capacity
    const used = this.#used
    const [keys, numbers, ats] = [this.#keys, this.#numbers, this.#ats]
    this.#capacity = capacity
    this.#keys = new Uint32Array(capacity * words)
    this.#numbers = new Float64Array(capacity)
    this.#ats = new Float64Array(capacity)
    this.#table = new Int32Array(capacity * 2).fill(none)
    let n = 0
    for (let i = 0; i < used; i++) {
      const place = (this.#head + i) & (from - 1)
      if (numbers[place] === 0) continue
      for (let w = 0; w < words; w++) this.#keys[n * words + w] = keys[place * words + w]!
      this.#numbers[n] = numbers[place]!
      this.#ats[n] = ats[place]!
      this.#insert(n++)
    }
    this.#head = 0
    this.#used = n
  }
}

const word = (bytes: Uint8Array, offset: number, w: number): number => {
  const o = offset + w * 4
  return (bytes[o]! | (bytes[o + 1]! << 8) | (bytes[o + 2]! << 16) | (bytes[o + 3]! << 24)) >>> 0
}
