import { limits, type Ranges } from '@kiroku/protocol'
import { chunkOf, offsetOf, SendBlocks, sendWords } from './SendBlocks.ts'

const window = limits.producerWindowSends
const none = -1
/** Producers or sends that are copied or restored between two yields. */
const sliceSends = 20_000

/** What a send was answered. */
interface SendAnswer {
  readonly queue: number
  readonly first: number
  readonly count: number
  readonly numbers?: Ranges
}

/** The whole answers of sends in which a message was sent before. */
type WholeAnswers = ReadonlyMap<number, Ranges>

/** All producers as a value, in the order of their last send; columns run parallel. */
export interface ProducersCopy {
  readonly ids: readonly string[]
  readonly lastAt: Float64Array
  readonly highest: Float64Array
  /** How many sends of each are remembered. */
  readonly counts: Uint8Array
  /** Four numbers a send: its own, queue id, first number, count. */
  readonly sends: Float64Array
  /** By a producer's place: whole answers of sends in which a message was sent before. */
  readonly answers?: readonly (readonly [
    producer: number,
    answers: readonly (readonly [send: number, numbers: Ranges])[],
  ])[]
}

/**
 * The dedupe state of sends: of each producer the last sends and their answers, in the order of their last send. A
 * producer has room for as many sends as it needs: one that sent once takes about 150 bytes, its id and its places in
 * all tables included.
 */
export class Producers {
  readonly #rows = new Map<string, number>()
  /** By row. */
  readonly #ids: string[] = []
  readonly #freeRows: number[] = []
  #lastAt = new Float64Array(16)
  #highest = new Float64Array(16)
  /** Where a producer's block is, its size, and how many sends are in it. */
  #places = new Uint32Array(16)
  #rooms = new Uint8Array(16)
  #counts = new Uint8Array(16)
  readonly #blocks = new SendBlocks()
  /** By row; never changed, so that snapshots share them. */
  readonly #answers = new Map<number, WholeAnswers>()
  /** Rows in the order of their last send; a map in that order would be slow where many send by turns. */
  #older = new Int32Array(16)
  #newer = new Int32Array(16)
  #oldest = none
  #newest = none
  /** Sends of all producers together that are remembered. */
  sends = 0

  get size(): number {
    return this.#rows.size
  }

  /** The answer that a send got before, `undefined` when it is new, `'tooOld'` when that is forgotten. */
  find(id: string, send: number): SendAnswer | 'tooOld' | undefined {
    const row = this.#rows.get(id)
    if (row === undefined) return undefined
    const place = this.#places[row]!
    const words = this.#blocks.read(place)
    const o = offsetOf(place, indexOf(send, this.#rooms[row]!))
    if (words[o] === send) {
      const answer = { queue: words[o + 1]!, first: words[o + 2]!, count: words[o + 3]! }
      const numbers = this.#answers.get(row)?.get(send)
      return numbers === undefined ? answer : { ...answer, numbers }
    }
    return send <= this.#highest[row]! - window ? 'tooOld' : undefined
  }

  /** How long it takes until there is room for a producer at `at`, in ms; 0: there is, or it is known. */
  waitMs(id: string, at: number): number {
    if (this.#rows.size < limits.producersMax || this.#rows.has(id)) return 0
    return Math.max(0, this.#lastAt[this.#oldest]! + limits.producerIdleMs - at)
  }

  /** Notes a stored send; events of one send add up. */
  note(id: string, send: number, queue: number, first: number, count: number, at: number): void {
    const row = this.#rowOf(id)
    this.#lastAt[row] = at
    if (send > this.#highest[row]!) this.#highest[row] = send
    const o = this.#offsetFor(row, send)
    const words = this.#blocks.written(this.#places[row]!)
    if (words[o] === send) words[o + 3] = words[o + 3]! + count
    else this.#set(row, words, o, send, queue, first, count)
    // For want of room none is forgotten any more, see `waitMs`; logs of older versions count on it.
    while (this.#lastAt[this.#oldest]! <= at - limits.producerIdleMs || this.#rows.size > limits.producersMax)
      this.#drop(this.#oldest)
  }

  /** Moves the time of those whose last send came at `since` or later. */
  move(since: number, byMs: number): void {
    for (const row of this.#rows.values())
      if (this.#lastAt[row]! >= since) this.#lastAt[row] = this.#lastAt[row]! + byMs
  }

  /** Notes the whole answer of a send, whatever of it was stored. */
  noteAnswer(id: string, send: number, queue: number, numbers: Ranges, at: number): void {
    let count = 0
    for (let i = 1; i < numbers.length; i += 2) count += numbers[i]!
    this.note(id, send, queue, numbers[0]!, 0, at)
    const row = this.#rows.get(id)!
    const o = this.#offsetFor(row, send)
    const words = this.#blocks.written(this.#places[row]!)
    words[o + 2] = numbers[0]!
    words[o + 3] = count
    this.#answers.set(row, new Map(this.#answers.get(row)).set(send, numbers))
  }

  /** The row of a producer, which is the newest now. */
  #rowOf(id: string): number {
    let row = this.#rows.get(id)
    if (row === undefined) {
      row = this.#newRow()
      this.#rows.set(id, row)
      this.#ids[row] = id
    } else if (row === this.#newest) return row
    else this.#unlink(row)
    this.#older[row] = this.#newest
    this.#newer[row] = none
    if (this.#newest === none) this.#oldest = row
    else this.#newer[this.#newest] = row
    this.#newest = row
    return row
  }

  #unlink(row: number): void {
    const [older, newer] = [this.#older[row]!, this.#newer[row]!]
    if (older === none) this.#oldest = newer
    else this.#newer[older] = newer
    if (newer === none) this.#newest = older
    else this.#older[newer] = older
  }

  #newRow(): number {
    const row = this.#freeRows.pop() ?? this.#rows.size
    if (row === this.#lastAt.length) {
      this.#lastAt = doubled(this.#lastAt)
      this.#highest = doubled(this.#highest)
      this.#places = doubled(this.#places)
      this.#rooms = doubled(this.#rooms)
      this.#counts = doubled(this.#counts)
      this.#older = doubled(this.#older)
      this.#newer = doubled(this.#newer)
    }
    this.#highest[row] = 0
    this.#places[row] = this.#blocks.alloc(1)
    this.#rooms[row] = 1
    this.#counts[row] = 0
    return row
  }

  #drop(row: number): void {
    this.#unlink(row)
    this.#rows.delete(this.#ids[row]!)
    this.#ids[row] = ''
    this.#freeRows.push(row)
    this.#answers.delete(row)
    this.#blocks.free(this.#places[row]!, this.#rooms[row]!)
    this.sends -= this.#counts[row]!
  }

  /** Where a send belongs in the chunk of its producer's block, which grows until no other is in that place. */
  #offsetFor(row: number, send: number): number {
    for (;;) {
      const place = this.#places[row]!
      const o = offsetOf(place, indexOf(send, this.#rooms[row]!))
      const held = this.#blocks.read(place)[o]!
      // One that lies a whole window away makes room.
      if (held === 0 || (send - held) % window === 0) return o
      this.#grow(row)
    }
  }

  #grow(row: number): void {
    const from = this.#places[row]!
    const room = this.#rooms[row]!
    const to = this.#blocks.alloc(room * 2)
    const words = this.#blocks.read(from)
    const grown = this.#blocks.written(to)
    for (let i = 0; i < room; i++) {
      const o = offsetOf(from, i)
      const send = words[o]!
      if (send !== 0) grown.set(words.subarray(o, o + sendWords), offsetOf(to, indexOf(send, room * 2)))
    }
    this.#blocks.free(from, room)
    this.#places[row] = to
    this.#rooms[row] = room * 2
  }

  #set(
    row: number,
    words: Float64Array,
    o: number,
    send: number,
    queue: number,
    first: number,
    count: number,
  ): void {
    const gone = words[o]!
    if (gone === 0) {
      this.#counts[row] = this.#counts[row]! + 1
      this.sends++
    } else this.#forgetAnswer(row, gone)
    words[o] = send
    words[o + 1] = queue
    words[o + 2] = first
    words[o + 3] = count
  }

  #forgetAnswer(row: number, send: number): void {
    const answers = this.#answers.get(row)
    if (answers?.has(send) !== true) return
    const left = new Map(answers)
    left.delete(send)
    if (left.size === 0) this.#answers.delete(row)
    else this.#answers.set(row, left)
  }

  /** Copies all producers as they are when it begins, a bit between two yields, whatever happens meanwhile. */
  *copy(): Generator<undefined, ProducersCopy> {
    const rows = new Uint32Array(this.#rows.size)
    const ids: string[] = []
    for (let row = this.#oldest; row !== none; row = this.#newer[row]!) {
      rows[ids.length] = row
      ids.push(this.#ids[row]!)
    }
    const lastAtOf = this.#lastAt.slice()
    const highestOf = this.#highest.slice()
    const placeOf = this.#places.slice()
    const roomOf = this.#rooms.slice()
    const countOf = this.#counts.slice()
    const chunks = this.#blocks.share()
    const answersOf = [...this.#answers]
    const sends = new Float64Array(this.sends * sendWords)
    yield
    const [lastAt, highest] = [new Float64Array(rows.length), new Float64Array(rows.length)]
    const counts = new Uint8Array(rows.length)
    let at = 0
    let slice = sliceSends
    for (let p = 0; p < rows.length; p++) {
      const row = rows[p]!
      lastAt[p] = lastAtOf[row]!
      highest[p] = highestOf[row]!
      counts[p] = countOf[row]!
      const place = placeOf[row]!
      const words = chunks[chunkOf(place)]!
      const room = roomOf[row]!
      for (let i = 0; i < room; i++) {
        const o = offsetOf(place, i)
        if (words[o] === 0) continue
        for (let w = 0; w < sendWords; w++) sends[at++] = words[o + w]!
      }
      if ((slice -= room) > 0) continue
      slice = sliceSends
      yield
    }
    const copy = { ids, lastAt, highest, counts, sends }
    if (answersOf.length === 0) return copy
    const indexOfRow = new Map<number, number>()
    for (let p = 0; p < rows.length; p++) indexOfRow.set(rows[p]!, p)
    return {
      ...copy,
      answers: answersOf.map(([row, answers]) => [indexOfRow.get(row)!, [...answers]] as const),
    }
  }

  /** Takes over what was copied, a bit between two yields; this is still empty. */
  *restore({ ids, lastAt, highest, counts, sends, answers = [] }: ProducersCopy): Generator<undefined, void> {
    let at = 0
    let slice = sliceSends
    for (let p = 0; p < ids.length; p++) {
      const row = this.#rowOf(ids[p]!)
      this.#lastAt[row] = lastAt[p]!
      this.#highest[row] = highest[p]!
      for (let left = counts[p]!; left > 0; left--, at += sendWords) {
        const o = this.#offsetFor(row, sends[at]!)
        const words = this.#blocks.written(this.#places[row]!)
        this.#set(row, words, o, sends[at]!, sends[at + 1]!, sends[at + 2]!, sends[at + 3]!)
      }
      if ((slice -= 1 + counts[p]!) > 0) continue
      slice = sliceSends
      yield
    }
    for (const [p, whole] of answers) this.#answers.set(this.#rows.get(ids[p]!)!, new Map(whole))
  }
}

/** The place of a send in a block of `room`; 32 bits of a number are enough, since a block is smaller. */
const indexOf = (send: number, room: number): number => send & (room - 1)

const doubled = <T extends Float64Array | Uint32Array | Int32Array | Uint8Array>(column: T): T => {
  const larger = new (column.constructor as new (length: number) => T)(column.length * 2)
  larger.set(column)
  return larger
}
