/** What a chunk is: an array of numbers, typed or not, or of anything else. */
interface Chunk {
  slice(): this
}

/**
 * Columns in chunks that are never moved, and that a snapshot shares until they are written to: however much there is,
 * growing copies nothing, and neither does taking a snapshot.
 */
export class SharedChunks<C extends Chunk> {
  readonly #make: () => C
  readonly #chunks: C[] = []
  /** 1: a snapshot has the chunk too. */
  #shared = new Uint8Array(16)

  /** @param make makes an empty chunk */
  constructor(make: () => C) {
    this.#make = make
  }

  get length(): number {
    return this.#chunks.length
  }

  /** Adds a chunk, and returns its place. */
  add(): number {
    const at = this.#chunks.push(this.#make()) - 1
    if (at >= this.#shared.length) {
      const shared = new Uint8Array(this.#shared.length * 2)
      shared.set(this.#shared)
      this.#shared = shared
    }
    this.#shared[at] = 0
    return at
  }

  /** A chunk, to read from. */
  read(at: number): C {
    return this.#chunks[at]!
  }

  /** A chunk, to write to. */
  written(at: number): C {
    if (this.#shared[at] === 1) {
      this.#chunks[at] = this.#chunks[at]!.slice()
      this.#shared[at] = 0
    }
    return this.#chunks[at]!
  }

  /** The chunks as they are now, whatever is written later. */
  share(): readonly C[] {
    this.#shared.fill(1, 0, this.#chunks.length)
    return this.#chunks.slice()
  }

  clear(): void {
    this.#chunks.length = 0
  }
}
