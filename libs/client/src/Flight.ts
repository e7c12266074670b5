import type { Command, Reply } from '@kiroku/protocol'
import type { AbortListener, AbortSignalLike } from './AbortSignalLike.ts'

/** Who made a request. */
interface Asker {
  /** The request is over, however it ended. */
  ended(flight: Flight): void
  /** Its caller gave up: the polls that it parked must end, too. */
  cancel(commands: readonly Command[]): void
}

/** One request under way. Thousands of receives may wait, so that it is one object rather than a function for each way to end. */
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

  /** Its caller gave up. */
  handleEvent(): void {
    this.#asker.cancel(this.#commands)
    this.fail(this.#signal!.reason)
  }

  /** Rejects, unless it is over. */
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
