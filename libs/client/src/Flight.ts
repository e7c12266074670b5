import type { Command, Reply } from '@kiroku/protocol'
import type { AbortListener, AbortSignalLike } from './AbortSignalLike.ts'

/** Who made a request. */
interface Asker {
  /** Called when the request has ended, in success or failure. */
  ended(flight: Flight): void
  /** Called when the caller aborts: cancels the polls that the request left waiting. */
  cancel(commands: readonly Command[]): void
}

/** A request under way. Thousands of receives may be waiting, so this is a single object instead of several closures. */
export class Flight implements AbortListener {
  /** The highest epoch known when it was sent. */
  readonly sentAt: number
  readonly #asker: Asker
  readonly #commands: readonly Command[]
  readonly #signal: AbortSignalLike | undefined
  readonly resolve: (reply: Reply) => void
  readonly #reject: (error: unknown) => void
  #isOver = false

  constructor(
    asker: Asker,
    sentAt: number,
    commands: readonly Command[],
    signal: AbortSignalLike | undefined,
    resolve: (reply: Reply) => void,
    reject: (error: unknown) => void,
  ) {
    this.#asker = asker
    this.sentAt = sentAt
    this.#commands = commands
    this.#signal = signal
    this.resolve = resolve
    this.#reject = reject
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The caller aborted. */
  handleEvent(): void {
    this.#asker.cancel(this.#commands)
    this.fail(this.#signal!.reason)
  }

  /** Rejects the request if it is still under way. */
  fail(error: unknown): void {
    if (this.#isOver) return
    this.end()
    this.#reject(error)
  }

  end(): void {
    this.#isOver = true
    this.#asker.ended(this)
    this.#signal?.removeEventListener('abort', this)
  }
}
