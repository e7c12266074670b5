import { SharedChunks } from '../store/SharedChunks.ts'

/** Words of a send: its number, queue id, first number, count. */
export const sendWords = 4
const chunkSends = 256

/**
 * Room for the sends of producers, in blocks of 1, 2, 4 … 64 in chunks that a snapshot shares until they are written
 * to: however many sends there are, taking a snapshot copies none of them. A block's place is that of its first send.
 */
export class SendBlocks {
  readonly #chunks = new SharedChunks(() => new Float64Array(chunkSends * sendWords))
  /** By the logarithm of their size: blocks given back, and the rest of the chunk that new ones come from. */
  readonly #free: number[][] = []
  readonly #next: number[] = []
  readonly #end: number[] = []

  /** Takes an empty block of `size` sends, a power of two. */
  alloc(size: number): number {
    const kind = 31 - Math.clz32(size)
    const back = (this.#free[kind] ??= []).pop()
    if (back !== undefined) {
      const o = (back % chunkSends) * sendWords
      this.written(back).fill(0, o, o + size * sendWords)
      return back
    }
    let place = this.#next[kind] ?? 0
    if (place === (this.#end[kind] ?? 0)) {
      place = this.#chunks.add() * chunkSends
      this.#end[kind] = place + chunkSends
    }
    this.#next[kind] = place + size
    return place
  }

  free(place: number, size: number): void {
    this.#free[31 - Math.clz32(size)]!.push(place)
  }

  /** The chunk of a place, to read from. */
  read(place: number): Float64Array {
    return this.#chunks.read(chunkOf(place))
  }

  /** The chunk of a place, to write to. */
  written(place: number): Float64Array {
    return this.#chunks.written(chunkOf(place))
  }

  /** The chunks as they are now, whatever is written later. */
  share(): readonly Float64Array[] {
    return this.#chunks.share()
  }
}

/** Where a send lies in the chunk of its block. */
export const offsetOf = (place: number, index: number): number => ((place % chunkSends) + index) * sendWords

/** The chunk of a place among shared ones. */
export const chunkOf = (place: number): number => (place / chunkSends) | 0
