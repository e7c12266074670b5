import { State } from '@kiroku/protocol'
import { GroupLinks } from '../groups/GroupLinks.ts'
import { columnsIn, copyColumn, liveColumns, slotBytes, type Column, type LiveCopy } from './LiveColumns.ts'
import { toEnd } from './toEnd.ts'
import { pageBytes, touchPages } from './touchPages.ts'

const none = -1
/**
 * The factor by which columns grow, and the most slots that they grow by. Systems hand memory out when it is first written to, so that
 * slots that were never used cost nothing, and columns seldom have to be copied.
 */
const growth = 8
const growthMax = 2 ** 22
/** Shares of the columns, and of the slots that the table is for, that are still free when larger ones are begun. */
const growsWithFree = 3 / 8
const widensWithFree = 1 / 3
/** Messages that come while a page of larger columns is made ready, and slots that go to a larger table with each. */
const messagesPerPage = 16
const slotsPerStep = 4
/** Slots that are restored between two yields. */
const sliceSlots = 50_000
/** Marks a free slot in the state column. */
export const freeSlot = 255

/**
 * Messages that were delivered or changed, in columns: about 100 bytes each with their place in the lookup table
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
  /** When it was first delivered, in ms; 0: that is not known. No part of the hash, as older checkpoints do not know it. */
  firstAt: Float64Array
  /** Index of the subscription generation in the partition's table. */
  owner: Uint32Array
  attempt: Uint32Array
  attemptsMax: Uint32Array
  state: Uint8Array
  /** 1: an expired lease returns at once. */
  simple: Uint8Array
  /** Links of the list of available ones; `next` also links free slots. */
  next: Int32Array
  prev: Int32Array
  /** Of messages in queues with groups. */
  readonly groupLinks = new GroupLinks()
  #free = none
  #top = 0
  /** Where slots must be used up to for larger columns or a larger table to be made ready, and what makes them. */
  #growsFrom: number
  #growth: Generator<undefined, void> | undefined
  #widensFrom!: number
  #widening: Generator<undefined, void> | undefined
  /** Messages that came since columns were begun. */
  #came = 0
  /** Slots by message. */
  #table!: Int32Array
  /** The next table, while it is filled: it has the slots below `#moved`. */
  #wider!: Int32Array
  #moved = 0
  #heap: Int32Array
  #heapPos: Int32Array
  #heapSize = 0

  /** @param slots of `capacity`, as many as the lookup table is made for */
  constructor(capacity = 1024, slots = capacity) {
    this.capacity = capacity
    const columns = columnsIn(new ArrayBuffer(capacity * slotBytes), capacity)
    this.number = columns.number
    this.seq = columns.seq
    this.index = columns.index
    this.bytes = columns.bytes
    this.enqueuedAt = columns.enqueuedAt
    this.deadline = columns.deadline
    this.leaseCap = columns.leaseCap
    this.delivery = columns.delivery
    this.firstAt = columns.firstAt
    this.owner = columns.owner
    this.attempt = columns.attempt
    this.attemptsMax = columns.attemptsMax
    this.state = columns.state
    this.simple = columns.simple
    this.next = columns.next
    this.prev = columns.prev
    this.#heap = columns.heap
    this.#heapPos = columns.heapPos
    this.#use(new Int32Array(tableLength(slots)).fill(none))
    this.#growsFrom = capacity - Math.floor(capacity * growsWithFree)
  }

  /** Slots ever used; those below it may be free. */
  get top(): number {
    return this.#top
  }

  isFree(slot: number): boolean {
    return this.state[slot] === freeSlot
  }

  /** Takes a slot and enters it in the lookup table. */
  alloc(owner: number, number: number): number {
    if (this.#top >= this.#widensFrom) this.#widen()
    if (this.#top >= this.#growsFrom) this.#grow()
    let slot = this.#free
    if (slot !== none) this.#free = this.next[slot]!
    else slot = this.#top++
    this.used++
    this.state[slot] = State.Held
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

  /** Gives many slots back. Where they are a good part of all, table and heap are rebuilt, which costs less. */
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
    this.#use(this.#table.fill(none))
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
    this.#enter(this.#table, slot)
    if (slot < this.#moved) this.#enter(this.#wider, slot)
  }

  #enter(table: Int32Array, slot: number): void {
    const mask = table.length - 1
    let i = this.#hash(this.owner[slot]!, this.number[slot]!) & mask
    while (table[i] !== none) i = (i + 1) & mask
    table[i] = slot
  }

  #remove(slot: number): void {
    this.#leave(this.#table, slot)
    if (slot < this.#moved) this.#leave(this.#wider, slot)
  }

  #leave(table: Int32Array, slot: number): void {
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

  /** Goes on with the next columns; to the end only where no slot is left, as in a slab that began small. */
  #grow(): void {
    this.#growth ??= this.#makeColumns()
    if (this.#came++ % messagesPerPage === 0 && this.#growth.next().done === true) this.#growth = undefined
    else if (this.#top === this.capacity && this.#free === none) {
      toEnd(this.#growth)
      this.#growth = undefined
    }
  }

  /**
   * Makes larger columns ready, a bit with the messages that come, so that no turn pays for all of it. What is left for
   * the last step is a copy into memory that is there, about 5 ms for a million messages.
   */
  *#makeColumns(): Generator<undefined, void> {
    const capacity = Math.min(this.capacity * growth, this.capacity + growthMax)
    const columns = columnsIn(new ArrayBuffer(capacity * slotBytes), capacity)
    for (const column of Object.values(columns))
      yield* touchPages((column as Column).subarray(0, this.capacity), pageBytes)
    for (const name of liveColumns) {
      columns[name].set(this[name].subarray(0, this.#top))
      this[name] = columns[name] as never
    }
    columns.heap.set(this.#heap.subarray(0, this.#heapSize))
    columns.heapPos.set(this.#heapPos.subarray(0, this.#top))
    this.#heap = columns.heap
    this.#heapPos = columns.heapPos
    this.capacity = capacity
    this.#growsFrom = capacity - Math.floor(capacity * growsWithFree)
  }

  /** Goes on with the next table; it is complete long before the one in use is full. */
  #widen(): void {
    this.#widening ??= this.#fillWider()
    this.#widening.next()
  }

  /** Fills a larger table beside the one in use, which it takes the place of once it has all slots. */
  *#fillWider(): Generator<undefined, void> {
    const table = new Int32Array(this.#table.length * 2)
    const places = pageBytes / table.BYTES_PER_ELEMENT
    for (let at = 0; at < table.length; at += places) {
      table.fill(none, at, at + places)
      yield
    }
    this.#wider = table
    for (;;) {
      for (const end = Math.min(this.#top, this.#moved + slotsPerStep); this.#moved < end; this.#moved++)
        if (this.state[this.#moved] !== freeSlot) this.#enter(table, this.#moved)
      if (this.#moved === this.#top) return this.#use(table)
      yield
    }
  }

  #use(table: Int32Array): void {
    this.#table = table
    this.#wider = table
    this.#moved = 0
    this.#widening = undefined
    this.#widensFrom = Math.floor((table.length / 2) * (1 - widensWithFree))
  }

  /** Columns up to `top`, copied, for a checkpoint; into `space` where it is large enough. */
  copy(space?: LiveCopy): LiveCopy {
    const copied: Partial<Record<keyof LiveCopy, Column>> = {}
    for (const name of liveColumns) copied[name] = copyColumn(this[name], this.#top, space?.[name])
    return copied as LiveCopy
  }

  /** Rebuilds a slab from a copy, a bit between two yields. */
  static *restore(copy: LiveCopy): Generator<undefined, LiveSlab> {
    const n = copy.number.length
    const slab = new LiveSlab(Math.max(1024, Math.min(n * growth, n + growthMax)), n)
    for (const name of liveColumns) {
      const column: Column | undefined = copy[name]
      if (column !== undefined) slab[name].set(column)
      yield
    }
    slab.#top = n
    slab.#heapPos.fill(none, 0, n)
    for (let slot = n - 1; slot >= 0; slot--) {
      if (slot % sliceSlots === 0) yield
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
    yield
    slab.reorder()
    return slab
  }
}

/** Places of a table that is half full at most. */
const tableLength = (slots: number): number => 2 ** Math.ceil(Math.log2(Math.max(slots, 2) * 2))
