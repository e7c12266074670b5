import { isKirokuError, KirokuError, type Actor } from '@kiroku/message'
import { partitionOf, type DeadLetterTarget, type QueueDescription } from '@kiroku/partition'

/** What dead-letter queues need of the administration of queues. */
interface DeadLetterContext {
  readonly partitions: () => Promise<number>
  readonly describe: (queue: string) => Promise<QueueDescription>
  readonly create: (queue: string, by: Actor) => Promise<unknown>
}

/** Finds dead-letter queues by name, and creates them where they are missing. */
export class DeadLetterQueues {
  readonly #context: DeadLetterContext

  constructor(context: DeadLetterContext) {
    this.#context = context
  }

  /**
   * Makes a change to queue `name`, or to a subscription of it, that names a dead-letter queue. `ask` gets its address.
   * Errors: `InvalidConfig` for a circle, and those of `ask`; then nothing was created.
   */
  async target<A>(
    name: string,
    deadLetter: string | DeadLetterTarget | null | undefined,
    by: Actor,
    ask: (target: DeadLetterTarget | null | undefined, dryRun: boolean) => Promise<A>,
  ): Promise<A> {
    if (typeof deadLetter !== 'string') {
      if (typeof deadLetter?.name === 'string') await this.#refuseCircle(name, deadLetter.name)
      return ask(deadLetter, false)
    }
    await this.#refuseCircle(name, deadLetter)
    let target = await this.#addressOf(deadLetter)
    if (target === undefined) {
      // Nothing is created for a change that is refused: it is tried first, with an address that no queue has.
      const partition = partitionOf(deadLetter, await this.#context.partitions())
      await ask({ name: deadLetter, partition, queue: Number.MAX_SAFE_INTEGER }, true)
      await this.#context.create(deadLetter, by)
      target = await this.#addressOf(deadLetter)
    }
    return ask(target, false)
  }

  /**
   * Follows the dead-letter queues from `first` on, of queues and of their subscriptions. Two changes at once may
   * still make a circle, since no partition sees another's queues. Errors: `InvalidConfig` where they come back to
   * `name`.
   */
  async #refuseCircle(name: string, first: string): Promise<void> {
    const seen = new Set<string>()
    const paths = [[name, first]]
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const last = path.at(-1)!
      if (last === name)
        throw new KirokuError('InvalidConfig', `dead letters would go in a circle: ${path.join(' → ')}`)
      if (seen.has(last)) continue
      seen.add(last)
      const found = await this.#find(last)
      for (const { config } of found === undefined ? [] : [found, ...found.subscriptions])
        if (config.deadLetter !== null) paths.push([...path, config.deadLetter.name])
    }
  }

  async #addressOf(name: string): Promise<DeadLetterTarget | undefined> {
    const found = await this.#find(name)
    return found === undefined ? undefined : { name, partition: found.partition, queue: found.queue }
  }

  async #find(name: string): Promise<QueueDescription | undefined> {
    try {
      return await this.#context.describe(name)
    } catch (error) {
      if (isKirokuError(error) && error.id === 'UnknownQueue') return undefined
      throw error
    }
  }
}
