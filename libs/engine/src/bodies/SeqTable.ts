/** Sequences of a chunk. */
const chunkSeqs = 256

/** A chunk: what its sequences have, and behind that how many have anything. */
const used = chunkSeqs

/**
 * Whole numbers above 0 by sequence. The entries of a map would take ten times the memory, and where there are a million of
 * them, it would hold up the engine for a while whenever it grows.
 */
export class SeqTable {
  readonly #chunks = new Map<number, Int32Array>()

  /** 0: there is none. */
  get(seq: number): number {
    return this.#chunks.get(Math.floor(seq / chunkSeqs))?.[seq % chunkSeqs] ?? 0
  }

  set(seq: number, value: number): void {
    const number = Math.floor(seq / chunkSeqs)
    let chunk = this.#chunks.get(number)
    if (chunk === undefined) this.#chunks.set(number, (chunk = new Int32Array(chunkSeqs + 1)))
    if (chunk[seq % chunkSeqs] === 0) chunk[used]!++
    chunk[seq % chunkSeqs] = value
  }

  delete(seq: number): void {
    const number = Math.floor(seq / chunkSeqs)
    const chunk = this.#chunks.get(number)
    if (chunk === undefined || chunk[seq % chunkSeqs] === 0) return
    chunk[seq % chunkSeqs] = 0
    if (--chunk[used]! === 0) this.#chunks.delete(number)
  }
}
