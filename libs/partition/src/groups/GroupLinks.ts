import { SharedChunks } from '../store/SharedChunks.ts'
import type { Group } from './Group.ts'

const chunkSlots = 256
/** Words of a slot: its group, and the slots behind it and before it there, counted from 1; 0 is none. */
const words = 3
const [group, next, prev] = [0, 1, 2] as const

/** Id of the group of a live message, in a snapshot. */
export const sharedGroupOf = (chunks: readonly Int32Array[], slot: number): number =>
  chunks[(slot / chunkSlots) | 0]![(slot % chunkSlots) * words + group]!

/** The slot behind another one in a snapshot's list of a group, counted from 1. */
export const sharedNext = (chunks: readonly Int32Array[], place: number): number =>
  chunks[((place - 1) / chunkSlots) | 0]![((place - 1) % chunkSlots) * words + next]!

/**
 * Which group each live message is of, and a list for each group: in an ordered queue of all its live messages, in the
 * order of their delivery; otherwise of those that can be delivered again, which most messages never are. A slot in a
 * list is named by its place, which is the slot + 1.
 */
export class GroupLinks {
  readonly #chunks = new SharedChunks(() => new Int32Array(chunkSlots * words))

  /** Id of a live message's group. */
  groupOf(slot: number): number {
    return this.#word(slot, group)
  }

  next(place: number): number {
    return this.#word(place - 1, next)
  }

  prev(place: number): number {
    return this.#word(place - 1, prev)
  }

  /** The message of a slot becomes one of the group's, and is in no list yet. */
  enter(of: Group, slot: number): void {
    const at = (slot / chunkSlots) | 0
    while (at >= this.#chunks.length) this.#chunks.add()
    this.#setWord(slot, group, of.id)
  }

  /** Puts a message of the group at the end of its list. */
  append(of: Group, slot: number): void {
    const last = of.last
    this.#setWord(slot, next, 0)
    this.#setWord(slot, prev, last)
    if (last === 0) of.first = slot + 1
    else this.#setWord(last - 1, next, slot + 1)
    of.last = slot + 1
  }

  remove(of: Group, slot: number): void {
    const behind = this.#word(slot, next)
    const before = this.#word(slot, prev)
    if (before === 0) of.first = behind
    else this.#setWord(before - 1, next, behind)
    if (behind === 0) of.last = before
    else this.#setWord(behind - 1, prev, before)
  }

  /** The lists as they are now, whatever is written later. */
  share(): readonly Int32Array[] {
    return this.#chunks.share()
  }

  #word(slot: number, w: number): number {
    return this.#chunks.read((slot / chunkSlots) | 0)[(slot % chunkSlots) * words + w]!
  }

  #setWord(slot: number, w: number, value: number): void {
    this.#chunks.written((slot / chunkSlots) | 0)[(slot % chunkSlots) * words + w] = value
  }
}
