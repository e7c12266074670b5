import { SharedChunks } from '../store/SharedChunks.ts'

const chunkGroups = 256

/** Words that the record determines, which snapshots share. */
export const word = {
  readyHead: 0,
  readyTail: 1,
  restoredTail: 2,
  ready: 3,
  /** First of its list of live messages, see `GroupLinks`; a slot, counted from 1. */
  first: 4,
  /** The group that began next. */
  next: 5,
} as const
const words = 6

/** Numbers that follow from those, or are no part of the record. */
export const own = {
  last: 0,
  again: 1,
  inflight: 2,
  before: 3,
  ahead: 4,
  behind: 5,
  flags: 6,
  waiting: 7,
} as const
const owns = 8
export const time = { head: 0, lastArrivalAt: 1 } as const
const times = 2

/** Memory of groups that are no more is freed from this many on, once no group is left. */
const clearsFrom = 4_096

/** The groups of a snapshot: chunks that do not change any more. */
export interface SharedGroups {
  readonly words: readonly Int32Array[]
  readonly keys: readonly (readonly string[])[]
}

/** A word of a group in a snapshot. */
export const sharedWord = ({ words: chunks }: SharedGroups, id: number, w: number): number =>
  chunks[(id / chunkGroups) | 0]![(id % chunkGroups) * words + w]!

/** The key of a group in a snapshot. */
export const sharedKey = ({ keys }: SharedGroups, id: number): string =>
  keys[(id / chunkGroups) | 0]![id % chunkGroups]!

/**
 * What the groups of all subscriptions are, in columns: about 80 bytes each beside the key and the places in maps, and
 * no objects, of which a million take long to collect. Ids begin with 1; those given back are linked through `word.next`.
 */
export class GroupColumns {
  readonly #words = new SharedChunks(() => new Int32Array(chunkGroups * words))
  readonly #keys = new SharedChunks(() => new Array<string>(chunkGroups).fill(''))
  readonly #owns: Int32Array[] = []
  readonly #times: Float64Array[] = []
  #top = 0
  #free = 0
  /** How many groups there are, and the characters of their keys. */
  used = 0
  keyCharacters = 0

  /** Takes an id; all its words are 0. */
  alloc(key: string): number {
    if (this.used++ === 0 && this.#top > clearsFrom) this.#clear()
    let id = this.#free
    if (id === 0) {
      id = ++this.#top
      if (id >= this.#owns.length * chunkGroups) this.#addChunk()
    } else this.#free = this.word(id, word.next)
    const chunk = (id / chunkGroups) | 0
    const at = id % chunkGroups
    this.#words.written(chunk).fill(0, at * words, (at + 1) * words)
    this.#keys.written(chunk)[at] = key
    this.keyCharacters += key.length
    this.#owns[chunk]!.fill(0, at * owns, (at + 1) * owns)
    this.#times[chunk]!.fill(0, at * times, (at + 1) * times)
    return id
  }

  #addChunk(): void {
    this.#words.add()
    this.#keys.add()
    this.#owns.push(new Int32Array(chunkGroups * owns))
    this.#times.push(new Float64Array(chunkGroups * times))
  }

  free(id: number): void {
    this.keyCharacters -= this.key(id).length
    this.#keys.written((id / chunkGroups) | 0)[id % chunkGroups] = ''
    this.setWord(id, word.next, this.#free)
    this.#free = id
    this.used--
  }

  #clear(): void {
    this.#words.clear()
    this.#keys.clear()
    this.#owns.length = 0
    this.#times.length = 0
    this.#top = 0
    this.#free = 0
  }

  key(id: number): string {
    return this.#keys.read((id / chunkGroups) | 0)[id % chunkGroups]!
  }

  word(id: number, w: number): number {
    return this.#words.read((id / chunkGroups) | 0)[(id % chunkGroups) * words + w]!
  }
  setWord(id: number, w: number, value: number): void {
    this.#words.written((id / chunkGroups) | 0)[(id % chunkGroups) * words + w] = value
  }

  own(id: number, w: number): number {
    return this.#owns[(id / chunkGroups) | 0]![(id % chunkGroups) * owns + w]!
  }
  setOwn(id: number, w: number, value: number): void {
    this.#owns[(id / chunkGroups) | 0]![(id % chunkGroups) * owns + w] = value
  }

  time(id: number, w: number): number {
    return this.#times[(id / chunkGroups) | 0]![(id % chunkGroups) * times + w]!
  }
  setTime(id: number, w: number, value: number): void {
    this.#times[(id / chunkGroups) | 0]![(id % chunkGroups) * times + w] = value
  }

  /** The groups as they are now, whatever is written later. */
  share(): SharedGroups {
    return { words: this.#words.share(), keys: this.#keys.share() }
  }
}
