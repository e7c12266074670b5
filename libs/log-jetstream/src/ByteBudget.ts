/** Limits the bytes in flight; first come, first served. */
export class ByteBudget {
  readonly #max: number
  readonly #queue: { readonly bytes: number; readonly start: () => void }[] = []
  #used = 0
  constructor(bytesMax: number) {
    this.#max = bytesMax
  }
  /** Waits for room; a request larger than the whole budget runs alone. */
  take(bytes: number): Promise<void> {
    return new Promise((start) => {
      this.#queue.push({ bytes, start })
      this.#serve()
    })
  }
  /** Returns bytes to the budget. */
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
