/** Lets so many bytes be under way at once; who asks first is served first. */
export class ByteBudget {
  readonly #max: number
  readonly #queue: { readonly bytes: number; readonly start: () => void }[] = []
  #used = 0
  constructor(bytesMax: number) {
    this.#max = bytesMax
  }
  /** Waits for room; whoever asks for more than there is at all gets it alone. */
  take(bytes: number): Promise<void> {
    return new Promise((start) => {
      this.#queue.push({ bytes, start })
      this.#serve()
    })
  }
  /** Gives back what was taken. */
  give(bytes: number): void {
    this.#used -= bytes
    this.#serve()
  }
  #serve(): void {
    for (;;) {
      const next = this.#queue[0]
      if (!next || (this.#used > 0 && this.#used + next.bytes > this.#max)) return
      this.#queue.shift()
      this.#used += next.bytes
      next.start()
    }
  }
}
