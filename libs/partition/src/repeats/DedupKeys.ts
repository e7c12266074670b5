import { limits } from '@kiroku/protocol'
import { toEnd } from '../store/toEnd.ts'
import { pageBytes, touchPages } from '../store/touchPages.ts'

const none = -1
/** Words of a key: it has 128 bits. */
const words = 4
/** Places from which on room that is not needed is given back. */
const shrinksFrom = 1_024
/** Keys that are restored between two yields. */
const sliceKeys = 20_000
/** Keys that leave the table with each call that finds some over, and with each key that comes. */
const leavePerExpiry = 8_192
const leavePerKey = 2
/**
 * What the room grows by. Systems hand memory out when it is first written to, so that places that were never used cost
 * nothing, and keys seldom have to move.
 */
const growth = 4
/** Share of the places that is still free when memory for more is made ready, and keys that come for each page of it. */
const readyWithFree = 1 / 8
const keysPerPage = 4

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
  /** 0 marks a key that was forgotten out of turn, a negative one a key that is over and still in the table. */
  #numbers: Float64Array
  #ats: Float64Array
  /** Places by key. */
  #table: Int32Array
  #head = 0
  #used = 0
  /** Places from the head on that are over: many may be so at once, and leave the table bit by bit. */
  #over = 0
  /** What makes memory for twice as many ready, a bit with each key that comes. */
  #making: Generator<undefined, Room> | undefined
  #ready: Room | undefined
  /** Keys that came since that was begun. */
  #came = 0

  constructor(capacity = 16) {
    this.#capacity = capacity
    const { keys, numbers, ats, table } = toEnd(makeRoom(capacity))
    this.#keys = keys
    this.#numbers = numbers
    this.#ats = ats
    this.#table = table
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
    const mask = this.#capacity - 1
    for (; this.#over < this.#used; this.#over++) {
      const place = (this.#head + this.#over) & mask
      if (this.#ats[place]! > upTo) break
      const number = this.#numbers[place]!
      if (number === 0) continue
      this.#numbers[place] = -number
      this.size--
    }
    this.#leave(leavePerExpiry)
    if (this.#capacity > shrinksFrom && this.#used * 8 < this.#capacity) this.#resize(this.#capacity / 4)
  }

  /** Forgets the key of one message, which came at `at`. */
  forget(number: number, at: number): void {
    const mask = this.#capacity - 1
    let low = this.#over
    let high = this.#used
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ats[(this.#head + middle) & mask]! < at) low = middle + 1
      else high = middle
    }
    for (; low < this.#used; low++) {
      const place = (this.#head + low) & mask
      if (this.#ats[place] !== at) return
      if (this.#numbers[place] === number) return this.#forgetAt(place)
    }
  }

  /** Moves the time of what came at `since` or later, which is the youngest: their order stays. */
  move(since: number, byMs: number): void {
    const mask = this.#capacity - 1
    for (let i = this.#used - 1; i >= 0; i--) {
      const place = (this.#head + i) & mask
      if (this.#ats[place]! < since) return
      this.#ats[place] = this.#ats[place]! + byMs
    }
  }

  /** When the oldest key came; infinity when there is none. */
  get oldestAt(): number {
    return this.#over === this.#used
      ? Number.POSITIVE_INFINITY
      : this.#ats[(this.#head + this.#over) & (this.#capacity - 1)]!
  }

  copy(): DedupCopy {
    const keys = new Uint32Array(this.size * words)
    const numbers = new Float64Array(this.size)
    const ats = new Float64Array(this.size)
    this.#copyTo({ keys, numbers, ats })
    return { keys, numbers, ats }
  }

  /** Copies what is remembered, oldest first, in stretches that lie side by side; returns how many there are. */
  #copyTo({ keys, numbers, ats }: DedupCopy): number {
    let n = 0
    for (let i = this.#over; i < this.#used;) {
      const from = (this.#head + i) & (this.#capacity - 1)
      const end = Math.min(this.#capacity, from + this.#used - i)
      const forgotten = this.#numbers.subarray(from, end).indexOf(0)
      const to = forgotten < 0 ? end : from + forgotten
      keys.set(this.#keys.subarray(from * words, to * words), n * words)
      numbers.set(this.#numbers.subarray(from, to), n)
      ats.set(this.#ats.subarray(from, to), n)
      n += to - from
      i += to - from + (forgotten < 0 ? 0 : 1)
    }
    return n
  }

  /** Rebuilds the keys from a copy, a bit between two yields. */
  static *restore({ keys, numbers, ats }: DedupCopy): Generator<undefined, DedupKeys> {
    let capacity = 16
    while (capacity < numbers.length) capacity *= growth
    const restored = new DedupKeys(capacity)
    for (let i = 0; i < numbers.length; i++) {
      const k = i * words
      restored.#add(keys[k]!, keys[k + 1]!, keys[k + 2]!, keys[k + 3]!, numbers[i]!, ats[i]!)
      if (i % sliceKeys === sliceKeys - 1) yield
    }
    return restored
  }

  #add(a: number, b: number, c: number, d: number, number: number, at: number): void {
    const before = this.#find(a, b, c, d)
    if (before !== none) this.#forgetAt(before)
    this.#leave(leavePerKey)
    if (this.#used >= this.#capacity * (1 - readyWithFree)) this.#makeReady()
    if (this.#used === this.#capacity)
      this.#resize(this.size > this.#capacity / 2 ? this.#capacity * growth : this.#capacity)
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
      if (
        keys[k] === a &&
        keys[k + 1] === b &&
        keys[k + 2] === c &&
        keys[k + 3] === d &&
        this.#numbers[place]! > 0
      )
        return place
    }
  }

  #insert(place: number): void {
    const table = this.#table
    const mask = table.length - 1
    let i = this.#keys[place * words]! & mask
    while (table[i] !== none) i = (i + 1) & mask
    table[i] = place
  }

  #forgetAt(place: number): void {
    this.#remove(place)
    this.#numbers[place] = 0
    this.size--
  }

  /** Takes the oldest expired keys out of the table, at most this many. */
  #leave(most: number): void {
    for (const end = Math.max(0, this.#over - most); this.#over > end; this.#over--) {
      if (this.#numbers[this.#head]! < 0) this.#remove(this.#head)
      this.#head = (this.#head + 1) & (this.#capacity - 1)
      this.#used--
    }
  }

  #remove(place: number): void {
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
  }

  #makeReady(): void {
    if (this.#ready !== undefined || this.#capacity >= limits.dedupKeysMax) return
    this.#making ??= makeRoom(this.#capacity * growth, this.#capacity)
    if (this.#came++ % keysPerPage > 0) return
    const made = this.#making.next()
    if (made.done === true) this.#ready = made.value
  }

  /** Moves to other space, without those that were forgotten. */
  #resize(capacity: number): void {
    const room = this.#ready?.capacity === capacity ? this.#ready : toEnd(makeRoom(capacity))
    this.#used = this.#copyTo(room)
    this.#head = 0
    this.#over = 0
    this.#ready = undefined
    this.#making = undefined
    this.#capacity = capacity
    this.#keys = room.keys
    this.#numbers = room.numbers
    this.#ats = room.ats
    this.#table = room.table
    for (let place = 0; place < this.#used; place++) this.#insert(place)
  }
}

/** Memory for this many keys. */
interface Room extends DedupCopy {
  readonly capacity: number
  readonly table: Int32Array
}

/** Makes the memory, a page between two yields; the system's for the first `used` keys. */
function* makeRoom(capacity: number, used = 0): Generator<undefined, Room> {
  const keys = new Uint32Array(capacity * words)
  yield* touchPages(keys.subarray(0, used * words), pageBytes)
  const numbers = new Float64Array(capacity)
  yield* touchPages(numbers.subarray(0, used), pageBytes)
  const ats = new Float64Array(capacity)
  yield* touchPages(ats.subarray(0, used), pageBytes)
  const table = new Int32Array(capacity * 2)
  const places = pageBytes / table.BYTES_PER_ELEMENT
  for (let at = 0; at < table.length; at += places) {
    table.fill(none, at, at + places)
    yield
  }
  return { capacity, keys, numbers, ats, table }
}

const word = (bytes: Uint8Array, offset: number, w: number): number => {
  const o = offset + w * 4
  return (bytes[o]! | (bytes[o + 1]! << 8) | (bytes[o + 2]! << 16) | (bytes[o + 3]! << 24)) >>> 0
}
