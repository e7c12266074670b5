import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@kiroku/client'
import type { QueueAddress } from '@kiroku/protocol'

/** Least time between two surveys of the log, in ms. */
const restMs = 1_000

/** Names of queues by the ids that message ids and receipts hold. An id keeps its name, and is never used again. */
export class QueueNames {
  readonly #client: Pick<Client, 'queues'>
  readonly #names = new Map<string, string>()
  #surveyed = -Infinity
  #surveying: Promise<void> | undefined

  constructor(client: Pick<Client, 'queues'>) {
    this.#client = client
  }

  /** The name of a queue; undefined: there is none. An id that is not known waits for a survey. Errors: those of the client. */
  async of(address: QueueAddress): Promise<string | undefined> {
    const key = keyOf(address)
    if (!this.#names.has(key)) await (this.#surveying ??= this.#survey())
    return this.#names.get(key)
  }

  async #survey(): Promise<void> {
    try {
      const waitMs = this.#surveyed + restMs - performance.now()
      if (waitMs > 0) await pause(waitMs)
      const { queues } = await this.#client.queues.survey()
      this.#surveyed = performance.now()
      for (const { name, partition, queue, spread } of queues)
        for (const part of [{ partition, queue }, ...(spread?.parts ?? [])])
          if (part.queue !== 0) this.#names.set(keyOf(part), name)
    } finally {
      this.#surveying = undefined
    }
  }
}

const keyOf = ({ partition, queue }: QueueAddress): string => `${partition}/${queue}`
