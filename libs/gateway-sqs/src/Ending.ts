import type { AbortListener, AbortSignalLike } from '@kiroku/client'

/** Why a request ends before it is answered, once it does. */
export class Ending implements AbortSignalLike {
  #reason: Error | undefined
  #listeners: readonly AbortListener[] = none

  /** undefined: it goes on. */
  get reason(): Error | undefined {
    return this.#reason
  }

  get aborted(): boolean {
    return this.#reason !== undefined
  }

  addEventListener(_type: 'abort', listener: AbortListener): void {
    this.#listeners = [...this.#listeners, listener]
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener)
  }

  /** Ends the request, unless it has ended. */
  end(reason: Error): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    for (const listener of this.#listeners) listener.handleEvent()
  }
}

const none: readonly AbortListener[] = []
