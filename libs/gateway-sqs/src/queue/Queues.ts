import type { Client } from '@kiroku/client'
import type { QueueDescription } from '@kiroku/protocol'

/** How long a description of a queue is taken for current, in ms; what this door changes itself it asks again at once. */
const currentMs = 1_000

/** Queues that are remembered. */
const queuesMax = 10_000

/** The settings of queues, so that not every request asks for them. */
export class Queues {
  readonly #client: Client
  readonly #known = new Map<string, { readonly at: number; readonly queue: Promise<QueueDescription> }>()

  constructor(client: Client) {
    this.#client = client
  }

  /** A queue as it was within the last second. Errors: `UnknownQueue`. */
  get(name: string): Promise<QueueDescription> {
    const now = performance.now()
    const known = this.#known.get(name)
    if (known !== undefined && now - known.at < currentMs) return known.queue
    if (this.#known.size >= queuesMax) this.#known.clear()
    const queue = this.#client.queues.describe(name)
    this.#known.set(name, { at: now, queue })
    queue.catch(() => this.#known.delete(name))
    return queue
  }

  /** A queue as it is now. Errors: `UnknownQueue`. */
  now(name: string): Promise<QueueDescription> {
    this.#known.delete(name)
    return this.get(name)
  }
}
