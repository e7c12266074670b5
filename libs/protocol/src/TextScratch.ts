const encoder = new TextEncoder()
const scratchBytes = 16 * 1024
/** Most bytes that a UTF-16 unit takes in UTF-8. */
const unitBytesMax = 3

/**
 * Turns texts into UTF-8 that is copied at once: what it returns may be overwritten by the next call. An array of its own costs
 * a short text seven times as much.
 */
export class TextScratch {
  readonly #bytes = new Uint8Array(scratchBytes)

  encode(text: string): Uint8Array {
    if (text.length * unitBytesMax > scratchBytes) return encoder.encode(text)
    return this.#bytes.subarray(0, encoder.encodeInto(text, this.#bytes).written)
  }
}
