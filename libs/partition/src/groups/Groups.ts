import { State } from '@kiroku/protocol'
import type { LiveSlab } from '../store/LiveSlab.ts'
import { Group } from './Group.ts'
import { own, time, word, type GroupColumns } from './GroupColumns.ts'
import { SpreadMap } from './SpreadMap.ts'

const none = 0

/**
 * The groups of one subscription. In an ordered queue a message goes out only after all messages of its group
 * before it are final, or in one delivery with them. Otherwise groups are tenants that share deliveries fairly.
 */
export class Groups {
  readonly isOrdered: boolean
  size = 0
  readonly #columns: GroupColumns
  #ids = new SpreadMap<string, number>()
  /** Ids by the number that their first run begins with. */
  #byHead = new SpreadMap<number, number>()
  /** All in the order in which they began. */
  #oldest = none
  #newest = none
  /** Those that a receive can get something of, in the order of their turn. */
  #rowHead = none
  #rowTail = none
  /** Where the walk of a pass goes on. */
  #walkAt = none
  #pass = 0

  constructor(columns: GroupColumns, isOrdered: boolean) {
    this.#columns = columns
    this.isOrdered = isOrdered
  }

  /** Id of the group that began first; 0: there is none. */
  get oldest(): number {
    return this.#oldest
  }

  /** The group of this name; it begins with its first message. */
  of(key: string): Group {
    const id = this.#ids.get(key)
    return new Group(this.#columns, id ?? this.#begin(key))
  }

  #begin(key: string): number {
    const columns = this.#columns
    const id = columns.alloc(key)
    this.#add(id, key)
    return id
  }

  #add(id: number, key: string): void {
    const columns = this.#columns
    this.#ids.set(key, id)
    columns.setOwn(id, own.before, this.#newest)
    columns.setWord(id, word.next, none)
    if (this.#newest === none) this.#oldest = id
    else columns.setWord(this.#newest, word.next, id)
    this.#newest = id
    this.size++
  }

  /** The group of this name, if there is one. */
  find(key: string): Group | undefined {
    const id = this.#ids.get(key)
    return id === undefined ? undefined : new Group(this.#columns, id)
  }

  /** The group of a live message. */
  ofSlot({ groupLinks }: LiveSlab, slot: number): Group {
    return new Group(this.#columns, groupLinks.groupOf(slot))
  }

  /** The group whose first run begins with this number. */
  headedBy(number: number): Group | undefined {
    const id = this.#byHead.get(number)
    return id === undefined ? undefined : new Group(this.#columns, id)
  }

  /** The first run of a group begins with this number; 0: it has no run. */
  head({ id }: Group, number: number): void {
    const before = this.#columns.time(id, time.head)
    if (before === number) return
    if (before !== none) this.#byHead.delete(before)
    if (number !== none) this.#byHead.set(number, id)
    this.#columns.setTime(id, time.head, number)
  }

  /** All groups in the order in which they began; one may be forgotten while it is looked at. */
  *all(): Generator<Group, void> {
    for (let id = this.#oldest; id !== none;) {
      const group = new Group(this.#columns, id)
      id = this.#columns.word(id, word.next)
      yield group
    }
  }

  /**
   * What a pass has not walked yet. The walk may be left at any group and goes on with that one; groups may come and go
   * meanwhile, and those that begin behind its end are not walked.
   */
  *walk(pass: number): Generator<Group, void> {
    if (this.#pass !== pass) {
      this.#pass = pass
      this.#walkAt = this.#oldest
    }
    for (let id = this.#walkAt; id !== none; id = this.#walkAt) {
      yield new Group(this.#columns, id)
      // One that was forgotten has moved the walk on already.
      if (this.#walkAt === id) this.#walkAt = this.#columns.word(id, word.next)
    }
  }

  /** The groups in the row; one may leave it while it is looked at. */
  *row(): Generator<Group, void> {
    for (let id = this.#rowHead; id !== none;) {
      const group = new Group(this.#columns, id)
      id = this.#columns.own(id, own.behind)
      yield group
    }
  }

  /** The group in the row, where it is the only one. */
  get alone(): Group | undefined {
    return this.#rowHead === none || this.#rowHead !== this.#rowTail
      ? undefined
      : new Group(this.#columns, this.#rowHead)
  }

  get isRowEmpty(): boolean {
    return this.#rowHead === none
  }

  /** Whether a receive can get something of the group now. */
  isServable(group: Group, live: LiveSlab): boolean {
    if (!this.isOrdered) return group.ready > 0 || group.first !== none
    // What came back goes out again ahead of what is still in flight behind it.
    const { first } = group
    return first === none ? group.ready > 0 : live.state[first - 1] === State.Available
  }

  /** Puts the group at the end of the row, unless it has its place there. */
  queue(group: Group): void {
    if (group.isQueued) return
    group.isQueued = true
    const { id } = group
    this.#columns.setOwn(id, own.ahead, this.#rowTail)
    this.#columns.setOwn(id, own.behind, none)
    if (this.#rowTail === none) this.#rowHead = id
    else this.#columns.setOwn(this.#rowTail, own.behind, id)
    this.#rowTail = id
  }

  /** Takes the group out of the row. */
  unqueue(group: Group): void {
    if (!group.isQueued) return
    group.isQueued = false
    const ahead = this.#columns.own(group.id, own.ahead)
    const behind = this.#columns.own(group.id, own.behind)
    if (ahead === none) this.#rowHead = behind
    else this.#columns.setOwn(ahead, own.behind, behind)
    if (behind === none) this.#rowTail = ahead
    else this.#columns.setOwn(behind, own.ahead, ahead)
  }

  /** The group whose turn it is, which leaves the row. */
  next(): Group | undefined {
    if (this.#rowHead === none) return undefined
    const group = new Group(this.#columns, this.#rowHead)
    this.unqueue(group)
    return group
  }

  /** Gives a group its turn back. */
  putBack(group: Group): void {
    group.isQueued = true
    const { id } = group
    this.#columns.setOwn(id, own.ahead, none)
    this.#columns.setOwn(id, own.behind, this.#rowHead)
    if (this.#rowHead === none) this.#rowTail = id
    else this.#columns.setOwn(this.#rowHead, own.ahead, id)
    this.#rowHead = id
  }

  /** Messages that one receive could get now, counted up to `enough`. */
  countServable(live: LiveSlab, enough: number): number {
    let count = 0
    for (let id = this.#rowHead; id !== none && count < enough; id = this.#columns.own(id, own.behind))
      count += this.#servable(new Group(this.#columns, id), live, enough)
    return count
  }

  /** Messages of the group that one receive could get now, counted up to `enough`. */
  #servable(group: Group, live: LiveSlab, enough: number): number {
    if (!this.isServable(group, live)) return 0
    if (!this.isOrdered) return group.ready + group.againCount
    let count = 0
    for (let place = group.first; place !== none && count < enough; place = live.groupLinks.next(place)) {
      if (live.state[place - 1] !== State.Available) return count
      count++
    }
    return count + group.ready
  }

  /** Forgets all runs, and at once the groups that have nothing else: one by one that takes many times as long. */
  forgetRuns(): void {
    const columns = this.#columns
    const oldest = this.#oldest
    this.#ids = new SpreadMap()
    this.#byHead = new SpreadMap()
    this.#oldest = none
    this.#newest = none
    this.#walkAt = none
    this.size = 0
    for (let id = oldest; id !== none;) {
      const group = new Group(columns, id)
      id = columns.word(id, word.next)
      group.ready = 0
      group.readyHead = 0
      group.readyTail = 0
      group.restoredTail = 0
      columns.setTime(group.id, time.head, none)
      if (group.live > 0) this.#add(group.id, group.key)
      else {
        this.unqueue(group)
        columns.free(group.id)
      }
    }
  }

  /** Forgets a group that is empty. */
  forget(group: Group): void {
    if (!group.isEmpty) return
    const columns = this.#columns
    const { id } = group
    this.unqueue(group)
    this.#ids.delete(group.key)
    const before = columns.own(id, own.before)
    const next = columns.word(id, word.next)
    if (this.#walkAt === id) this.#walkAt = next
    if (before === none) this.#oldest = next
    else columns.setWord(before, word.next, next)
    if (next === none) this.#newest = before
    else columns.setOwn(next, own.before, before)
    columns.free(id)
    this.size--
  }
}
