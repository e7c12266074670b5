import type { Client } from '@kiroku/client'
import { isKirokuError, type QueueDescription } from '@kiroku/protocol'

/** How long a description of a queue is taken for current, in ms; what this door changes itself it asks again at once. */
const currentMs = 1_000

/** Queues that are remembered. */
const queuesMax = 10_000

/** What is known of a queue, or asked. */
interface Known {
  readonly at: number
  readonly asked: Promise<QueueDescription>
  /** Once it is answered. */
  queue?: QueueDescription
}

/** The settings of queues, so that not every request asks for them. */
export class Queues {
  readonly #client: Client
  readonly #known = new Map<string, Known>()
  readonly #changing = new Map<string, Promise<unknown>>()

  constructor(client: Client) {
    this.#client = client
  }

  /** A queue as it was within the last second. Errors: `UnknownQueue`. */
  get(name: string): QueueDescription | Promise<QueueDescription> {
    const now = performance.now()
    const known = this.#known.get(name)
    if (known !== undefined && now - known.at < currentMs) return known.queue ?? known.asked
    if (this.#known.size >= queuesMax) this.#known.clear()
    const fresh: Known = { at: now, asked: this.#client.queues.describe(name, { lossWarnings: false }) }
    this.#known.set(name, fresh)
    fresh.asked.then(
      (queue) => (fresh.queue = queue),
      () => this.#known.delete(name),
    )
    return fresh.asked
  }

  /** A queue as it was within the last second; undefined: it is not there. */
  find(name: string): QueueDescription | undefined | Promise<QueueDescription | undefined> {
    const queue = this.get(name)
    if (!(queue instanceof Promise)) return queue
    return queue.catch((error: unknown) => {
      if (isKirokuError(error) && ['UnknownQueue', 'InvalidQueueName'].includes(error.id)) return undefined
      throw error
    })
  }

  /** A queue as it was at `atMs` of `performance.now()` or later. Errors: `UnknownQueue`. */
  since(name: string, atMs: number): Promise<QueueDescription> {
    const known = this.#known.get(name)
    return known !== undefined && known.at >= atMs ? known.asked : this.now(name)
  }

  /** A queue as it is now. Errors: `UnknownQueue`. */
  async now(name: string): Promise<QueueDescription> {
    this.#known.delete(name)
    return this.get(name)
  }

  /** Runs what changes a queue by what it is, after all that was begun before. */
  async inTurn(name: string, run: () => Promise<void>): Promise<void> {
    const before = this.#changing.get(name) ?? Promise.resolve()
    const own = before.catch(() => {}).then(run)
    this.#changing.set(name, own)
    try {
      await own
    } finally {
      if (this.#changing.get(name) === own) this.#changing.delete(name)
    }
  }
}
