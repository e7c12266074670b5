import { State } from '@kiroku/message'
import type { LiveSlab } from './LiveSlab.ts'

/** Runs that are available, in order; 0 is none. */
export interface RunList {
  readyHead: number
  readyTail: number
  /** Last of the runs at the beginning that were restored; means something only during that. */
  restoredTail: number
}

/** The messages of one message group, or of one tenant, under one subscription. */
export class Group implements RunList {
  readonly key: string
  readyHead = 0
  readyTail = 0
  restoredTail = 0
  ready = 0
  /**
   * Numbers of live messages, in the order of their delivery. In an ordered queue all of them, otherwise those that
   * are available again.
   */
  readonly touched: number[] = []
  live = 0
  inflight = 0
  /** Has its place in the row; not part of the record, nor is what follows. */
  isQueued = false
  /** A tenant that takes more than its share. */
  isNoisy = false
  lastArrivalAt = 0

  constructor(key: string) {
    this.key = key
  }
}

/**
 * The groups of one subscription. In an ordered queue the next message of a group goes out only after the ones
 * before are final, or in one delivery with them. Otherwise groups are tenants that share deliveries fairly.
 */
export class Groups {
  readonly isOrdered: boolean
  readonly byKey = new Map<string, Group>()
  /** The group whose first run begins with this number, and the group of each live message. */
  readonly ofHead = new Map<number, Group>()
  readonly ofLive = new Map<number, Group>()
  /**
   * Groups that a receive can get something of, in the order of their turn, from `rowHead` on. A place counts only
   * while its group is queued, and only the first one of a group.
   */
  row: Group[] = []
  rowHead = 0

  constructor(isOrdered: boolean) {
    this.isOrdered = isOrdered
  }

  /** The group of this name; it begins with its first message. */
  of(key: string): Group {
    let group = this.byKey.get(key)
    if (group === undefined) {
      group = new Group(key)
      this.byKey.set(key, group)
    }
    return group
  }

  /** Whether a receive can get something of the group now. */
  isServable(group: Group, live: LiveSlab, owner: number): boolean {
    if (!this.isOrdered) return group.ready > 0 || group.touched.length > 0
    if (group.inflight > 0) return false
    const [first] = group.touched
    return first === undefined ? group.ready > 0 : live.state[live.find(owner, first)] === State.Available
  }

  /** Puts the group at the end of the row. */
  queue(group: Group): void {
    group.isQueued = true
    this.row.push(group)
    if (this.row.length > 2 * (this.byKey.size + this.rowHead) + 1_000) this.tidy()
  }

  /** Leaves only places in the row that count. */
  tidy(): void {
    this.row = [...new Set(this.row.slice(this.rowHead))].filter((group) => group.isQueued)
    this.rowHead = 0
  }

  /** The group whose turn it is, which leaves the row. */
  next(): Group | undefined {
    while (this.rowHead < this.row.length) {
      const group = this.row[this.rowHead++]!
      if (this.rowHead > 1_000 && 2 * this.rowHead > this.row.length) this.tidy()
      if (!group.isQueued) continue
      group.isQueued = false
      return group
    }
    return undefined
  }

  /** Gives a group its turn back. */
  putBack(group: Group): void {
    group.isQueued = true
    if (this.rowHead > 0) this.row[--this.rowHead] = group
    else this.row.unshift(group)
  }

  /** Messages that one receive could get now, counted up to `enough`. */
  countServable(live: LiveSlab, owner: number, enough: number): number {
    let count = 0
    for (let i = this.rowHead; i < this.row.length && count < enough; i++)
      if (this.row[i]!.isQueued) count += this.#servable(this.row[i]!, live, owner)
    return count
  }

  /** Messages of the group that one receive could get now. */
  #servable(group: Group, live: LiveSlab, owner: number): number {
    if (!this.isServable(group, live, owner)) return 0
    if (!this.isOrdered) return group.ready + group.touched.length
    const end = group.touched.findIndex((n) => live.state[live.find(owner, n)] !== State.Available)
    return end < 0 ? group.touched.length + group.ready : end
  }

  /** Forgets a group that has nothing any more. */
  forget(group: Group): void {
    if (group.ready > 0 || group.live > 0) return
    group.isQueued = false
    this.byKey.delete(group.key)
  }
}
