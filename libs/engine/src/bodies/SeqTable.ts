/** Sequences of a chunk. */
const chunkSeqs = 256

/** Where a chunk counts how many of its sequences have a value; the values come before that. */
const used = chunkSeqs

/** Positive integers by sequence. A map would take several times the memory, and be copied as a whole whenever it grows. */
export class SeqTable {
  readonly #chunks = new Map<number, Int32Array>()

  /** 0: the sequence has no value. */
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
