/** Why a request ends before it is answered, once it does; a signal costs more than the rest of it, and only receives want one. */
export class Ending {
  #reason: Error | undefined
  #controller: AbortController | undefined

  /** undefined: it goes on. */
  get reason(): Error | undefined {
    return this.#reason
  }

  /** Aborted with the reason. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Ends the request, unless it has ended. */
  end(reason: Error): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}
