/** The `ctx` of a Worker's handler. */
export class ExecutionContext {
  readonly #promises: Promise<unknown>[] = []

  /** Lets the batch end only when this has: if it rejects, the batch has failed. */
  waitUntil(promise: unknown): void {
    const waiting = Promise.resolve(promise)
    // Looked at in `settled`; until then a rejection is not an unhandled one.
    waiting.catch(() => undefined)
    this.#promises.push(waiting)
  }

  /** Has no meaning for queues; here because Workers may call it. */
  passThroughOnException(): void {}

  /** Resolves when everything that was waited for has ended, also what was added meanwhile; rejects with the first failure. */
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
