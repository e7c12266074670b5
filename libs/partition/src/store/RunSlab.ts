const words = 9
const chunkRuns = 4096
const high = 0x1_0000_0000
const countMax = 0xffff
const bytesMax = 0xffff_ffff

/**
 * Runs: consecutive messages of one queue in one frame with one due time, 36 bytes each, in chunks that are
 * never moved. A run's id is its place; free ones are linked through `next`.
 * Words: first, seq, enqueuedAt (low 32 bits each), delay, next, count | low 16 bits of index, high 16 bits of
 * first | seq, high 16 bits of index | enqueuedAt, bytes.
 */
export class RunSlab {
  readonly chunks: Uint32Array[] = []
  size = 0
  used = 0
  #free = 0

  /** Takes a free run; ids start at 1, 0 is none. */
  alloc(
    first: number,
    count: number,
    seq: number,
    index: number,
    enqueuedAt: number,
    delay: number,
    bytes: number,
  ): number {
    let id = this.#free
    if (id !== 0) this.#free = this.next(id)
    else {
      id = ++this.size
      if (id >= this.chunks.length * chunkRuns) this.chunks.push(new Uint32Array(chunkRuns * words))
    }
    this.used++
    const c = this.chunks[(id / chunkRuns) | 0]!
    const o = (id % chunkRuns) * words
    c[o] = first
    c[o + 1] = seq
    c[o + 2] = enqueuedAt
    c[o + 3] = delay
    c[o + 4] = 0
    c[o + 5] = (count << 16) | (index & 0xffff)
    c[o + 6] = ((first / high) << 16) | (seq / high)
    c[o + 7] = (index & 0xffff_0000) | (enqueuedAt / high)
    c[o + 8] = bytes
    return id
  }

  free(id: number): void {
    const c = this.chunks[(id / chunkRuns) | 0]!
    const o = (id % chunkRuns) * words
    c[o + 5] = 0
    c[o + 4] = this.#free
    this.#free = id
    this.used--
  }

  #word(id: number, w: number): number {
    return this.chunks[(id / chunkRuns) | 0]![(id % chunkRuns) * words + w]!
  }

  first(id: number): number {
    return (this.#word(id, 6) >>> 16) * high + this.#word(id, 0)
  }
  seq(id: number): number {
    return (this.#word(id, 6) & 0xffff) * high + this.#word(id, 1)
  }
  enqueuedAt(id: number): number {
    return (this.#word(id, 7) & 0xffff) * high + this.#word(id, 2)
  }
  setEnqueuedAt(id: number, at: number): void {
    const c = this.chunks[(id / chunkRuns) | 0]!
    const o = (id % chunkRuns) * words
    c[o + 2] = at
    c[o + 7] = (c[o + 7]! & 0xffff_0000) | (at / high)
  }
  /** When the run becomes available, in ms of partition time. */
  dueAt(id: number): number {
    return this.enqueuedAt(id) + this.#word(id, 3)
  }
  delayMs(id: number): number {
    return this.#word(id, 3)
  }
  setDelay(id: number, delayMs: number): void {
    this.chunks[(id / chunkRuns) | 0]![(id % chunkRuns) * words + 3] = delayMs
  }
  next(id: number): number {
    return this.#word(id, 4)
  }
  setNext(id: number, next: number): void {
    this.chunks[(id / chunkRuns) | 0]![(id % chunkRuns) * words + 4] = next
  }
  count(id: number): number {
    return this.#word(id, 5) >>> 16
  }
  index(id: number): number {
    return ((this.#word(id, 7) & 0xffff_0000) | (this.#word(id, 5) & 0xffff)) >>> 0
  }
  bytes(id: number): number {
    return this.#word(id, 8)
  }

  /** Whether the run has room for `more` messages of `bytes` that begin right behind its own, in the same frame. */
  joins(
    id: number,
    first: number,
    more: number,
    seq: number,
    index: number,
    enqueuedAt: number,
    bytes: number,
  ): boolean {
    const count = this.count(id)
    return (
      this.first(id) + count === first &&
      this.seq(id) === seq &&
      this.index(id) + count === index &&
      this.enqueuedAt(id) === enqueuedAt &&
      count + more <= countMax &&
      this.bytes(id) + bytes <= bytesMax
    )
  }

  grow(id: number, count: number, bytes: number): void {
    const c = this.chunks[(id / chunkRuns) | 0]!
    const o = (id % chunkRuns) * words
    c[o + 5] = ((this.count(id) + count) << 16) | (c[o + 5]! & 0xffff)
    c[o + 8] = c[o + 8]! + bytes
  }

  /** The bodies of the run lie elsewhere now. */
  move(id: number, seq: number, index: number): void {
    const c = this.chunks[(id / chunkRuns) | 0]!
    const o = (id % chunkRuns) * words
    c[o + 1] = seq
    c[o + 6] = (c[o + 6]! & 0xffff0000) | (seq / high)
    c[o + 5] = (this.count(id) << 16) | (index & 0xffff)
    c[o + 7] = (index & 0xffff_0000) | (c[o + 7]! & 0xffff)
  }

  setBytes(id: number, bytes: number): void {
    this.chunks[(id / chunkRuns) | 0]![(id % chunkRuns) * words + 8] = bytes
  }

  /** A run of its own that names the same messages; links are the caller's. */
  duplicate(id: number): number {
    return this.alloc(
      this.first(id),
      this.count(id),
      this.seq(id),
      this.index(id),
      this.enqueuedAt(id),
      this.delayMs(id),
      this.bytes(id),
    )
  }

  /** Makes all but the first `count` messages of the run a run of their own; returns its id. Links are the caller's. */
  split(id: number, count: number): number {
    const total = this.count(id)
    const share = Math.round((this.bytes(id) / total) * count)
    const rest = this.alloc(
      this.first(id) + count,
      total - count,
      this.seq(id),
      this.index(id) + count,
      this.enqueuedAt(id),
      this.delayMs(id),
      this.bytes(id) - share,
    )
    const c = this.chunks[(id / chunkRuns) | 0]!
    const o = (id % chunkRuns) * words
    c[o + 5] = (count << 16) | (c[o + 5]! & 0xffff)
    c[o + 8] = share
    return rest
  }

  /** Drops the first `count` messages of the run and returns their share of its bytes. */
  shrink(id: number, count: number): number {
    const c = this.chunks[(id / chunkRuns) | 0]!
    const o = (id % chunkRuns) * words
    const total = this.count(id)
    const share = Math.round((c[o + 8]! / total) * count)
    const first = this.first(id) + count
    const index = this.index(id) + count
    c[o] = first
    c[o + 6] = ((first / high) << 16) | (c[o + 6]! & 0xffff)
    c[o + 5] = ((total - count) << 16) | (index & 0xffff)
    c[o + 7] = (index & 0xffff_0000) | (c[o + 7]! & 0xffff)
    c[o + 8] = c[o + 8]! - share
    return share
  }

  /** A copy that shares nothing, for a checkpoint; into `space` as far as it goes. */
  copy(space: readonly Uint32Array[] = []): { chunks: Uint32Array[]; size: number } {
    const last = this.chunks.length - 1
    const used = ((this.size % chunkRuns) + 1) * words
    const chunks = this.chunks.map((chunk, i) => {
      if (i === last) return chunk.slice(0, used)
      const into = space[i]
      if (into === undefined) return chunk.slice()
      into.set(chunk)
      return into
    })
    return { chunks, size: this.size }
  }

  /** Reads a copy without taking it over. */
  static view(copy: { readonly chunks: readonly Uint32Array[]; readonly size: number }): RunSlab {
    const slab = new RunSlab()
    slab.size = copy.size
    for (const c of copy.chunks) slab.chunks.push(c)
    return slab
  }

  static restore(copy: { chunks: Uint32Array[]; size: number }): RunSlab {
    const slab = RunSlab.view(copy)
    const last = slab.chunks.length - 1
    if (last >= 0) {
      const whole = new Uint32Array(chunkRuns * words)
      whole.set(slab.chunks[last]!)
      slab.chunks[last] = whole
    }
    slab.used = copy.size
    for (let id = copy.size; id > 0; id--) if (slab.count(id) === 0) slab.free(id)
    return slab
  }
}
