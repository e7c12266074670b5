const encoder = new TextEncoder()
/** At first, and at most. */
const scratchBytesMin = 16 * 1024
const scratchBytesMax = 1024 * 1024
/** Most bytes that a UTF-16 unit takes in UTF-8. */
const unitBytesMax = 3

/**
 * Turns texts into UTF-8 that is copied at once: what it returns may be overwritten by the next call. An array of its own costs
 * a short text seven times as much.
 */
export class TextScratch {
  #bytes = new Uint8Array(scratchBytesMin)

  encode(text: string): Uint8Array {
    const needed = text.length * unitBytesMax
    if (needed > scratchBytesMax) return encoder.encode(text)
    while (needed > this.#bytes.length) this.#bytes = new Uint8Array(2 * this.#bytes.length)
    return this.#bytes.subarray(0, encoder.encodeInto(text, this.#bytes).written)
  }
}
