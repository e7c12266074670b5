/** Progress, on one line of stderr that is overwritten; line by line where stderr is not a terminal. */
export class Progress {
  readonly #live = process.stderr.isTTY
  readonly #startMs = performance.now()

  /** Begins the next step. */
  step(text: string): void {
    const line = `${((performance.now() - this.#startMs) / 1_000).toFixed(1).padStart(5)} s  ${text}`
    process.stderr.write(this.#live ? `\r\x1b[2K${line}` : `${line}\n`)
  }

  /** Leaves the line empty for what follows. */
  end(): void {
    if (this.#live) process.stderr.write('\r\x1b[2K')
  }
}
