import { discardWarnings, isKirokuError, type QueueDescription, type Retention } from '@kiroku/protocol'
import type { Clock } from './Clock.ts'
import { type Judged, lossesOf } from './judgeLosses.ts'
import { limits } from './limits.ts'

/** What the warnings need from the administration of queues. */
interface LossContext {
  readonly clock: Clock
  /** Queues that name this one as their dead-letter queue. Fails if a partition does not answer in time. */
  readonly namersOf: (queue: string) => Promise<readonly string[]>
  /** Fails if the partition does not answer in time. */
  readonly describe: (queue: string) => Promise<QueueDescription>
}

/**
 * Warnings about queues that lose failed messages, at once or too early. Judging a queue takes a request to every partition, or one for
 * each of its dead-letter queues, however many queues there are.
 */
export class LossWarnings {
  readonly #context: LossContext
  /** By dead-letter queue, since many queues may share one. */
  #retentions = new Map<string, Promise<Retention | undefined>>()
  #knownUntilMs = 0

  constructor(context: LossContext) {
    this.#context = context
  }

  /** The warnings about one queue. Errors: those of the requests to the partitions. */
  async of(queue: Judged): Promise<string[]> {
    const names = queue.subscriptions.flatMap(({ config }) => config.deadLetter?.name ?? [])
    const [isDeadLetterQueue, retentions] = await Promise.all([
      // Most have one of their own, and then it does not matter.
      discardWarnings(queue).length > 0 && this.#isNamed(queue.name),
      Promise.all(names.map(async (name) => [name, await this.#retentionOf(name)] as const)),
    ])
    const known = new Map(retentions)
    return lossesOf(queue, isDeadLetterQueue, (name) => known.get(name))
  }

  /** Settings were changed, so earlier answers may no longer hold. */
  forget(): void {
    this.#retentions = new Map()
  }

  async #isNamed(queue: string): Promise<boolean> {
    return (await this.#context.namersOf(queue)).length > 0
  }

  #retentionOf(name: string): Promise<Retention | undefined> {
    const { clock, describe } = this.#context
    if (clock.now() > this.#knownUntilMs) {
      this.forget()
      this.#knownUntilMs = clock.now() + limits.retentionKnownMs
    }
    let asked = this.#retentions.get(name)
    if (asked === undefined) {
      asked = describe(name).then(
        ({ config }) => config,
        (error: unknown) => {
          if (isKirokuError(error) && error.id === 'UnknownQueue') return undefined
          this.forget()
          throw error
        },
      )
      this.#retentions.set(name, asked)
    }
    return asked
  }
}
