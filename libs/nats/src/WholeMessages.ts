const lf = 0x0a
const space = 0x20
const [m, h] = [...Buffer.from('MH')] as [number, number]

/**
 * Cuts what arrives from NATS so that no message is in two pieces. The client puts those together in a buffer that doubles as they
 * grow, which copies a large message several times; here it is copied once, into memory of its size.
 */
export class WholeMessages {
  readonly #push: (piece: Buffer) => void
  /** The beginning of a line whose end is not here yet. */
  #line: Buffer | undefined
  /** A message, line and all, that is not all here yet. */
  #message: Buffer | undefined
  #have = 0

  constructor(push: (piece: Buffer) => void) {
    this.#push = push
  }

  /** Takes the next bytes. Pieces may be views of them, so they must not be overwritten afterwards. */
  take(chunk: Buffer): void {
    let at = this.#message === undefined ? 0 : this.#fill(chunk, 0)
    if (this.#line !== undefined && at < chunk.length) {
      chunk = Buffer.concat([this.#line, chunk.subarray(at)])
      this.#line = undefined
      at = 0
    }
    const begun = at
    while (at < chunk.length) {
      const end = chunk.indexOf(lf, at) + 1
      const bytes = end === 0 ? Infinity : end - at + payloadBytes(chunk, at, end)
      if (at + bytes <= chunk.length) {
        at += bytes
        continue
      }
      if (at > begun) this.#push(chunk.subarray(begun, at))
      if (end === 0) {
        // A copy: the rest of the chunk may go.
        this.#line = Buffer.from(chunk.subarray(at))
        return
      }
      this.#message = Buffer.allocUnsafeSlow(bytes)
      this.#have = 0
      this.#fill(chunk, at)
      return
    }
    if (at > begun) this.#push(chunk.subarray(begun, at))
  }

  /** Puts what belongs to the message into it. Returns where that ends in the chunk. */
  #fill(chunk: Buffer, from: number): number {
    const message = this.#message!
    const copied = chunk.copy(message, this.#have, from)
    this.#have += copied
    if (this.#have === message.length) {
      this.#message = undefined
      this.#push(message)
    }
    return from + copied
  }
}

/** Bytes behind a line that begins a message: its payload and the end of a line. 0: it begins none. */
const payloadBytes = (chunk: Buffer, from: number, end: number): number => {
  if (chunk[from] !== m && chunk[from] !== h) return 0
  let bytes = 0
  let scale = 1
  // The size stands last in the line.
  for (let i = end - 3; i > from && chunk[i] !== space; i--) {
    bytes += (chunk[i]! - 0x30) * scale
    scale *= 10
  }
  return bytes + 2
}
