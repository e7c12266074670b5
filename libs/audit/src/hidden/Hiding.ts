import type { QueueAddress, QueueConfig } from '@kiroku/protocol'

/** What is hidden of a message: its body and attributes, or these and the texts of its errors. */
export type Hidden = 'body' | 'all'

/** The settings that hide something. */
type HidingConfig = Partial<Pick<QueueConfig, 'bodyHidden' | 'errorHidden'>>

/** A queue and what was last set for it. */
export interface KnownQueue extends QueueAddress {
  readonly config: HidingConfig
}

/** The queues that a message passed. */
export interface Passed {
  readonly queues: Iterable<QueueAddress>
  /** Whether these are all of them. */
  readonly isWhole: boolean
}

/** What a queue hides by its settings; undefined: nothing. */
const hiddenBy = ({ bodyHidden, errorHidden }: HidingConfig): Hidden | undefined =>
  bodyHidden !== 'on' ? undefined : errorHidden === 'off' ? 'body' : 'all'

/**
 * Decides what is hidden of a message, by every queue that it passed. Queues count by their ids: one that was deleted hides
 * on, and another one of its name hides for itself. What is not known hides.
 */
export class Hiding {
  readonly #hidden = new Map<string, Hidden | undefined>()
  /** What some queue of the log hides. */
  #most: Hidden | undefined
  readonly #newer: (() => Promise<Iterable<KnownQueue>>) | undefined
  #reading: Promise<void> | undefined

  /**
   * @param queues every queue that is known, also deleted ones
   * @param newer reads the queues that there are now, where `queues` come from something that trails the log
   */
  constructor(queues: Iterable<KnownQueue>, newer?: () => Promise<Iterable<KnownQueue>>) {
    this.#add(queues)
    this.#newer = newer
  }

  /** What is hidden of a message, also of one in a queue newer than those that are known. Errors: those of reading them. */
  async now(passed: Passed): Promise<Hidden | undefined> {
    for (const queue of passed.queues)
      if (!this.#hidden.has(keyOf(queue))) {
        await (this.#reading ??= this.#readNewer())
        break
      }
    return this.of(passed)
  }

  async #readNewer(): Promise<void> {
    if (this.#newer !== undefined) this.#add(await this.#newer())
  }

  #add(queues: Iterable<KnownQueue>): void {
    for (const queue of queues) {
      const hidden = hiddenBy(queue.config)
      this.#hidden.set(keyOf(queue), hidden)
      this.#most = most(this.#most, hidden)
    }
  }

  /** What is hidden of a message; undefined: nothing. */
  of({ queues, isWhole }: Passed): Hidden | undefined {
    // A queue that is not named may be any of them.
    let hidden = isWhole ? undefined : this.#most
    for (const queue of queues) {
      const key = keyOf(queue)
      hidden = most(hidden, this.#hidden.has(key) ? this.#hidden.get(key) : 'all')
    }
    return hidden
  }
}

const keyOf = ({ partition, queue }: QueueAddress): string => `${partition}/${queue}`

const most = (a: Hidden | undefined, b: Hidden | undefined): Hidden | undefined =>
  a === 'all' || b === 'all' ? 'all' : (a ?? b)
