/** The `ctx` of a Worker's handler. */
export class ExecutionContext {
  readonly #promises: Promise<unknown>[] = []

  /** The batch ends only when this promise has settled; if it rejects, the batch fails. */
  waitUntil(promise: unknown): void {
    const waiting = Promise.resolve(promise)
    // Looked at in `settled`; until then a rejection is not an unhandled one.
    waiting.catch(() => undefined)
    this.#promises.push(waiting)
  }

  /** Has no meaning for queues; here because Workers may call it. */
  passThroughOnException(): void {}

  /**
   * Resolves when all awaited promises have ended, including those added meanwhile; rejects with the first
   * failure.
   */
  async settled(): Promise<void> {
    let failure: { readonly reason: unknown } | undefined
    for (let i = 0; i < this.#promises.length; i++) {
      try {
        await this.#promises[i]
      } catch (reason) {
        failure ??= { reason }
      }
    }
    if (failure !== undefined) throw failure.reason
  }
}
