/** Bytes in front of each frame's content: its length, the number of the request, the partition. */
export const headerBytes = 12

/** Takes one frame; the content is the receiver's to keep. */
export type OnFrame = (request: number, partition: number, content: Uint8Array) => void

/** Cuts what arrives into frames. Each content is copied once, into memory of its exact size. */
export class FrameReader {
  /** The largest content that is accepted now. */
  contentBytesMax: number
  readonly #onFrame: OnFrame
  readonly #header = Buffer.alloc(headerBytes)
  /** Bytes of the current frame that are here, header included. */
  #have = 0
  #content: Buffer | undefined

  constructor(contentBytesMax: number, onFrame: OnFrame) {
    this.contentBytesMax = contentBytesMax
    this.#onFrame = onFrame
  }

  /**
   * Takes the next bytes, which may be overwritten afterwards.
   * @returns why this is not a stream of frames; nothing may be read after that
   */
  take(bytes: Uint8Array): string | undefined {
    let at = 0
    while (at < bytes.length) {
      const begun = at
      if (this.#content === undefined) {
        const end = Math.min(bytes.length, at + headerBytes - this.#have)
        this.#header.set(bytes.subarray(at, end), this.#have)
        at = end
        this.#have += at - begun
        if (this.#have < headerBytes) return undefined
        const length = this.#header.readUInt32LE(0)
        if (length > this.contentBytesMax)
          return `a frame of ${length} bytes, where ${this.contentBytesMax} are accepted`
        this.#content = Buffer.allocUnsafe(length)
      }
      const had = this.#have - headerBytes
      const end = Math.min(bytes.length, at + this.#content.length - had)
      this.#content.set(bytes.subarray(at, end), had)
      this.#have += end - at
      at = end
      if (this.#have - headerBytes === this.#content.length) this.#complete(this.#content)
    }
    return undefined
  }

  #complete(content: Buffer): void {
    this.#content = undefined
    this.#have = 0
    this.#onFrame(this.#header.readUInt32LE(4), this.#header.readUInt32LE(8), content)
  }
}
