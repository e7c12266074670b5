const none = -1
/** Marks a free slot in the state column. */
export const freeSlot = 255

/**
 * Messages that somebody has touched, in columns: about 90 bytes each with their place in the lookup table
 * and in the timer heap. `deadline` is the end of the lease, the end of the pause, or the end of retention,
 * by state.
 */
export class LiveSlab {
  capacity: number
  used = 0
  number: Float64Array
  /** Where the body lies: frame, and place among the queue's bodies there. */
  seq: Float64Array
  index: Uint32Array
  bytes: Uint32Array
  enqueuedAt: Float64Array
  deadline: Float64Array
  leaseCap: Float64Array
  delivery: Float64Array
  /** Index of the subscription generation in the partition's table. */
  owner: Uint32Array
  attempt: Uint16Array
  attemptsMax: Uint16Array
  state: Uint8Array
  /** 1: an expired lease returns at once. */
  simple: Uint8Array
  /** Links of the list of available ones; `next` also links free slots. */
  next: Int32Array
  prev: Int32Array
  #free = none
  #top = 0
  #table: Int32Array
  #heap: Int32Array
  #heapPos: Int32Array
  #heapSize = 0

  constructor(capacity = 1024) {
    this.capacity = capacity
    this.number = new Float64Array(capacity)
    this.seq = new Float64Array(capacity)
    this.index = new Uint32Array(capacity)
    this.bytes = new Uint32Array(capacity)
    this.enqueuedAt = new Float64Array(capacity)
    this.deadline = new Float64Array(capacity)
    this.leaseCap = new Float64Array(capacity)
    this.delivery = new Float64Array(capacity)
    this.owner = new Uint32Array(capacity)
    this.attempt = new Uint16Array(capacity)
    this.attemptsMax = new Uint16Array(capacity)
    this.state = new Uint8Array(capacity)
    this.simple = new Uint8Array(capacity)
    this.next = new Int32Array(capacity)
    this.prev = new Int32Array(capacity)
    this.#table = new Int32Array(capacity * 2).fill(none)
    this.#heap = new Int32Array(capacity)
    this.#heapPos = new Int32Array(capacity)
  }

  /** Slots ever used; those below it may be free (`state` is `freeSlot`). */
  get top(): number {
    return this.#top
  }

  /** Takes a slot and enters it in the lookup table. */
  alloc(owner: number, number: number): number {
    let slot = this.#free
    if (slot !== none) this.#free = this.next[slot]!
    else {
      if (this.#top === this.capacity) this.#double()
      slot = this.#top++
    }
    this.used++
    this.owner[slot] = owner
    this.number[slot] = number
    this.#heapPos[slot] = none
    this.next[slot] = none
    this.prev[slot] = none
    this.#insert(slot)
    return slot
  }

  /** Gives a slot back; it leaves the table and the heap. */
  free(slot: number): void {
    if (this.#heapPos[slot] !== none) this.unschedule(slot)
    this.#remove(slot)
    this.state[slot] = freeSlot
    this.next[slot] = this.#free
    this.#free = slot
    this.used--
  }

  /** Gives many slots back. Where they are a good part of all, table and heap are built anew, which costs less. */
  freeAll(slots: readonly number[]): void {
    if (slots.length * 4 < this.used) {
      for (const slot of slots) this.free(slot)
      return
    }
    for (const slot of slots) {
      this.#heapPos[slot] = none
      this.state[slot] = freeSlot
      this.next[slot] = this.#free
      this.#free = slot
    }
    this.used -= slots.length
    this.#table.fill(none)
    this.#heapSize = 0
    for (let slot = 0; slot < this.#top; slot++) {
      if (this.state[slot] === freeSlot) continue
      this.#insert(slot)
      if (this.#heapPos[slot] === none) continue
      this.#heap[this.#heapSize] = slot
      this.#heapPos[slot] = this.#heapSize++
    }
    this.reorder()
  }

  #hash(owner: number, number: number): number {
    let h = Math.imul((number ^ (number / 0x1_0000_0000)) | 0, 0x9e3779b1) ^ Math.imul(owner + 1, 0x85ebca6b)
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
    return h ^ (h >>> 13)
  }

  /** The slot of a message, or -1. */
  find(owner: number, number: number): number {
    const table = this.#table
    const mask = table.length - 1
    let i = this.#hash(owner, number) & mask
    for (;;) {
      const slot = table[i]!
      if (slot === none) return none
      if (this.number[slot] === number && this.owner[slot] === owner) return slot
      i = (i + 1) & mask
    }
  }

  #insert(slot: number): void {
    const table = this.#table
    const mask = table.length - 1
    let i = this.#hash(this.owner[slot]!, this.number[slot]!) & mask
    while (table[i] !== none) i = (i + 1) & mask
    table[i] = slot
  }

  #remove(slot: number): void {
    const table = this.#table
    const mask = table.length - 1
    let i = this.#hash(this.owner[slot]!, this.number[slot]!) & mask
    while (table[i] !== slot) i = (i + 1) & mask
    // Entries behind the hole move up, so that no marker of deleted ones is needed.
    let hole = i
    for (let j = (i + 1) & mask; table[j] !== none; j = (j + 1) & mask) {
      const moved = table[j]!
      const home = this.#hash(this.owner[moved]!, this.number[moved]!) & mask
      if (((j - home) & mask) >= ((j - hole) & mask)) {
        table[hole] = moved
        hole = j
      }
    }
    table[hole] = none
  }

  /** Sets the time at which the partition must look at this message again. */
  schedule(slot: number, at: number): void {
    const before = this.#heapPos[slot]!
    const was = this.deadline[slot]!
    this.deadline[slot] = at
    if (before === none) {
      this.#heap[this.#heapSize] = slot
      this.#heapPos[slot] = this.#heapSize
      this.#up(this.#heapSize++)
    } else if (at < was) this.#up(before)
    else this.#down(before)
  }

  unschedule(slot: number): void {
    const pos = this.#heapPos[slot]!
    this.#heapPos[slot] = none
    const last = this.#heap[--this.#heapSize]!
    if (last === slot) return
    this.#heap[pos] = last
    this.#heapPos[last] = pos
    this.#up(pos)
    this.#down(this.#heapPos[last]!)
  }

  /** The slot whose deadline is next, or -1. */
  get earliest(): number {
    return this.#heapSize === 0 ? none : this.#heap[0]!
  }

  /** Calls `visit` for slots with a deadline not after `now`, in no order, until it returns false. */
  eachDue(now: number, visit: (slot: number) => boolean): void {
    const stack: number[] = this.#heapSize > 0 ? [0] : []
    while (stack.length > 0) {
      const pos = stack.pop()!
      const slot = this.#heap[pos]!
      if (this.deadline[slot]! > now) continue
      if (!visit(slot)) return
      if (2 * pos + 1 < this.#heapSize) stack.push(2 * pos + 1)
      if (2 * pos + 2 < this.#heapSize) stack.push(2 * pos + 2)
    }
  }

  /** Puts the heap in order again after deadlines were changed in place. */
  reorder(): void {
    for (let i = (this.#heapSize >> 1) - 1; i >= 0; i--) this.#down(i)
  }

  #up(start: number): void {
    const heap = this.#heap
    const slot = heap[start]!
    const at = this.deadline[slot]!
    let pos = start
    while (pos > 0) {
      const parent = (pos - 1) >> 1
      const other = heap[parent]!
      if (this.deadline[other]! <= at) break
      heap[pos] = other
      this.#heapPos[other] = pos
      pos = parent
    }
    heap[pos] = slot
    this.#heapPos[slot] = pos
  }

  #down(start: number): void {
    const heap = this.#heap
    const size = this.#heapSize
    const slot = heap[start]!
    const at = this.deadline[slot]!
    let pos = start
    for (;;) {
      let child = 2 * pos + 1
      if (child >= size) break
      if (child + 1 < size && this.deadline[heap[child + 1]!]! < this.deadline[heap[child]!]!) child++
      const other = heap[child]!
      if (this.deadline[other]! >= at) break
      heap[pos] = other
      this.#heapPos[other] = pos
      pos = child
    }
    heap[pos] = slot
    this.#heapPos[slot] = pos
  }

  #double(): void {
    const from = this.capacity
    this.capacity = from * 2
    const grow = <A extends Float64Array | Uint32Array | Uint16Array | Uint8Array | Int32Array>(a: A): A => {
      const bigger = new (a.constructor as new (n: number) => A)(this.capacity)
      bigger.set(a as never)
      return bigger
    }
    this.number = grow(this.number)
    this.seq = grow(this.seq)
    this.index = grow(this.index)
    this.bytes = grow(this.bytes)
    this.enqueuedAt = grow(this.enqueuedAt)
    this.deadline = grow(this.deadline)
    this.leaseCap = grow(this.leaseCap)
    this.delivery = grow(this.delivery)
    this.owner = grow(this.owner)
    this.attempt = grow(this.attempt)
    this.attemptsMax = grow(this.attemptsMax)
    this.state = grow(this.state)
    this.simple = grow(this.simple)
    this.next = grow(this.next)
    this.prev = grow(this.prev)
    this.#heap = grow(this.#heap)
    this.#heapPos = grow(this.#heapPos)
    this.#table = new Int32Array(this.capacity * 2).fill(none)
    for (let slot = 0; slot < from; slot++) this.#insert(slot)
  }

  /** Columns up to `top`, copied, for a checkpoint; into `space` where it is large enough. */
  copy(space?: LiveCopy): LiveCopy {
    const copied: Partial<Record<keyof LiveCopy, Column>> = {}
    for (const name of liveColumns) copied[name] = copyColumn(this[name], this.#top, space?.[name])
    return copied as LiveCopy
  }

  static restore(copy: LiveCopy): LiveSlab {
    const n = copy.number.length
    let capacity = 1024
    while (capacity < n) capacity *= 2
    const slab = new LiveSlab(capacity)
    slab.number.set(copy.number)
    slab.seq.set(copy.seq)
    slab.index.set(copy.index)
    slab.bytes.set(copy.bytes)
    slab.enqueuedAt.set(copy.enqueuedAt)
    slab.deadline.set(copy.deadline)
    slab.leaseCap.set(copy.leaseCap)
    slab.delivery.set(copy.delivery)
    slab.owner.set(copy.owner)
    slab.attempt.set(copy.attempt)
    slab.attemptsMax.set(copy.attemptsMax)
    slab.state.set(copy.state)
    slab.simple.set(copy.simple)
    slab.next.set(copy.next)
    slab.prev.set(copy.prev)
    slab.#top = n
    slab.#heapPos.fill(none)
    for (let slot = n - 1; slot >= 0; slot--) {
      if (slab.state[slot] === freeSlot) {
        slab.next[slot] = slab.#free
        slab.#free = slot
        continue
      }
      slab.used++
      slab.#insert(slot)
      // Every state a slot can be in has a deadline.
      slab.#heap[slab.#heapSize] = slot
      slab.#heapPos[slot] = slab.#heapSize++
    }
    slab.reorder()
    return slab
  }
}

type Column = Float64Array | Uint32Array | Uint16Array | Uint8Array | Int32Array

const copyColumn = (column: Column, length: number, space: Column | undefined): Column => {
  if (space === undefined || space.length < length) return column.slice(0, length)
  space.set(column.subarray(0, length))
  return space.subarray(0, length)
}

/** The columns of a checkpoint. */
export interface LiveCopy {
  number: Float64Array
  seq: Float64Array
  index: Uint32Array
  bytes: Uint32Array
  enqueuedAt: Float64Array
  deadline: Float64Array
  leaseCap: Float64Array
  delivery: Float64Array
  owner: Uint32Array
  attempt: Uint16Array
  attemptsMax: Uint16Array
  state: Uint8Array
  simple: Uint8Array
  next: Int32Array
  prev: Int32Array
}

/** Names of the columns of a checkpoint. */
export const liveColumns = [
  'number',
  'seq',
  'index',
  'bytes',
  'enqueuedAt',
  'deadline',
  'leaseCap',
  'delivery',
  'owner',
  'attempt',
  'attemptsMax',
  'state',
  'simple',
  'next',
  'prev',
] as const satisfies readonly (keyof LiveCopy)[]
