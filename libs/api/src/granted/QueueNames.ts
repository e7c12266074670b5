import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@kiroku/client'
import type { QueueAddress } from '@kiroku/protocol'
import type { Sees } from './withoutOthers.ts'

/** Least time between two surveys of the log, in ms. */
const restMsDefault = 1_000

/** Names that are held between two surveys. */
const namesMax = 100_000

/** Names of queues by the ids that message ids and receipts hold. An id keeps its name, and is never used again. */
export class QueueNames {
  readonly #client: Pick<Client, 'queues'>
  readonly #restMs: number
  #names = new Map<string, string>()
  #surveyed = -Infinity
  #surveying: Promise<void> | undefined

  constructor(client: Pick<Client, 'queues'>, restMs = restMsDefault) {
    this.#client = client
    this.#restMs = restMs
  }

  /**
   * The name of a queue that the caller may know of; undefined: there is none, or not for them. Both wait for a survey, so that
   * the time does not tell which. Errors: those of the client.
   */
  async of(address: QueueAddress, sees: Sees): Promise<string | undefined> {
    const known = this.#nameOf(address, sees)
    if (known !== undefined) return known
    await (this.#surveying ??= this.#survey())
    return this.#nameOf(address, sees)
  }

  /** Takes note of a queue that something was just received from: what is settled next needs no survey then. */
  learn(address: QueueAddress, name: string): void {
    if (this.#names.size >= namesMax) this.#names.clear()
    this.#names.set(keyOf(address), name)
  }

  #nameOf(address: QueueAddress, sees: Sees): string | undefined {
    const name = this.#names.get(keyOf(address))
    return name !== undefined && sees(name) ? name : undefined
  }

  async #survey(): Promise<void> {
    try {
      const waitMs = this.#surveyed + this.#restMs - performance.now()
      if (waitMs > 0) await pause(waitMs)
      const { queues } = await this.#client.queues.survey()
      this.#surveyed = performance.now()
      // Without those that were deleted.
      this.#names = new Map(
        queues.flatMap(({ name, partition, queue, spread }) =>
          [{ partition, queue }, ...(spread?.parts ?? [])]
            .filter((part) => part.queue !== 0)
            .map((part) => [keyOf(part), name] as const),
        ),
      )
    } finally {
      this.#surveying = undefined
    }
  }
}

const keyOf = ({ partition, queue }: QueueAddress): string => `${partition}/${queue}`
