import {
  discardWarnings,
  isKirokuError,
  type QueueDescription,
  type Retention,
  retentionWarnings,
} from '@kiroku/protocol'
import type { Clock } from './Clock.ts'
import { limits } from './limits.ts'

type Judged = Pick<QueueDescription, 'name' | 'config' | 'subscriptions'>

/** What they need of the administration of queues. */
interface LossContext {
  readonly clock: Clock
  /** Names of queues that name this one as their dead-letter queue. Errors: of a partition that does not answer soon. */
  readonly namersOf: (queue: string) => Promise<readonly string[]>
  /** Likewise. */
  readonly describe: (queue: string) => Promise<QueueDescription>
}

/**
 * Warnings about queues that lose failed messages, at once or too early. Each takes a question to every partition, or one about
 * each of its dead-letter queues, however many queues there are.
 */
export class LossWarnings {
  readonly #context: LossContext
  /** Of dead-letter queues, which many queues may share. */
  #retentions = new Map<string, Promise<Retention | undefined>>()
  #knownUntilMs = 0

  constructor(context: LossContext) {
    this.#context = context
  }

  /** Those about one queue. Errors: of whoever is asked. */
  async of(queue: Judged): Promise<string[]> {
    const discards = discardWarnings(queue)
    const names = queue.subscriptions.flatMap(({ config }) => config.deadLetter?.name ?? [])
    const [isDeadLetters, retentions] = await Promise.all([
      // A dead-letter queue needs none of its own.
      discards.length > 0 && this.#isNamed(queue.name),
      Promise.all(names.map(async (name) => [name, await this.#retentionOf(name)] as const)),
    ])
    const known = new Map(retentions)
    return [...(isDeadLetters ? [] : discards), ...retentionWarnings(queue, (name) => known.get(name))]
  }

  /** A change was made: what was asked before may no longer hold. */
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
