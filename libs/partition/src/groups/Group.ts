import { own, time, word, type GroupColumns } from './GroupColumns.ts'

/** Runs that are available, in order; 0 is none. */
export interface RunList {
  readyHead: number
  readyTail: number
  /** Last of the runs at the beginning that were restored; means something only during that. */
  restoredTail: number
}

const [queued, noisy] = [1, 2] as const

/** The messages of one message group, or of one tenant, under one subscription: a view of its columns. */
export class Group implements RunList {
  readonly id: number
  readonly #columns: GroupColumns

  constructor(columns: GroupColumns, id: number) {
    this.#columns = columns
    this.id = id
  }

  get key(): string {
    return this.#columns.key(this.id)
  }

  get readyHead(): number {
    return this.#columns.word(this.id, word.readyHead)
  }
  set readyHead(run: number) {
    this.#columns.setWord(this.id, word.readyHead, run)
  }

  get readyTail(): number {
    return this.#columns.word(this.id, word.readyTail)
  }
  set readyTail(run: number) {
    this.#columns.setWord(this.id, word.readyTail, run)
  }

  get restoredTail(): number {
    return this.#columns.word(this.id, word.restoredTail)
  }
  set restoredTail(run: number) {
    this.#columns.setWord(this.id, word.restoredTail, run)
  }

  get ready(): number {
    return this.#columns.word(this.id, word.ready)
  }
  set ready(messages: number) {
    this.#columns.setWord(this.id, word.ready, messages)
  }

  /** Ends of its list of live messages, see `GroupLinks`; 0: there is none in it. */
  get first(): number {
    return this.#columns.word(this.id, word.first)
  }
  set first(place: number) {
    this.#columns.setWord(this.id, word.first, place)
  }
  get last(): number {
    return this.#columns.own(this.id, own.last)
  }
  set last(place: number) {
    this.#columns.setOwn(this.id, own.last, place)
  }

  /** How many of its live messages are available again. */
  get againCount(): number {
    return this.#columns.own(this.id, own.again)
  }
  set againCount(messages: number) {
    this.#columns.setOwn(this.id, own.again, messages)
  }

  get inflight(): number {
    return this.#columns.own(this.id, own.inflight)
  }
  set inflight(messages: number) {
    this.#columns.setOwn(this.id, own.inflight, messages)
  }

  /** How many of its live messages wait for their next try. */
  get waiting(): number {
    return this.#columns.own(this.id, own.waiting)
  }
  set waiting(messages: number) {
    this.#columns.setOwn(this.id, own.waiting, messages)
  }

  /** How many live messages it has, in its list or not. */
  get live(): number {
    return this.inflight + this.againCount + this.waiting
  }

  /** Has nothing any more, neither untouched nor live messages. */
  get isEmpty(): boolean {
    return this.inflight === 0 && this.ready === 0 && this.againCount === 0 && this.waiting === 0
  }

  /** Has its place in the row; not part of the record, nor is what follows. */
  get isQueued(): boolean {
    return this.#has(queued)
  }
  set isQueued(is: boolean) {
    this.#mark(queued, is)
  }

  /** A tenant that takes more than its share. */
  get isNoisy(): boolean {
    return this.#has(noisy)
  }
  set isNoisy(is: boolean) {
    this.#mark(noisy, is)
  }

  get lastArrivalAt(): number {
    return this.#columns.time(this.id, time.lastArrivalAt)
  }
  set lastArrivalAt(at: number) {
    this.#columns.setTime(this.id, time.lastArrivalAt, at)
  }

  #has(flag: number): boolean {
    return (this.#columns.own(this.id, own.flags) & flag) !== 0
  }

  #mark(flag: number, is: boolean): void {
    const flags = this.#columns.own(this.id, own.flags)
    this.#columns.setOwn(this.id, own.flags, is ? flags | flag : flags & ~flag)
  }
}
