import { isKirokuError, KirokuError, type Actor } from '@kiroku/message'
import {
  checkQueueName,
  type Answers,
  type CommandOf,
  type DeadLetterTarget,
  type QueueDescription,
} from '@kiroku/partition'
import type { QueueSettings, Queues } from './Client.ts'
import type { PartitionClient } from './PartitionClient.ts'

/** What administration needs of its client. */
interface AdministrationContext {
  readonly partitionOf: (queue: string) => Promise<PartitionClient>
  readonly partitions: () => Promise<readonly PartitionClient[]>
  readonly actor: Actor
}

/** Administers queues by name. */
export class Administration implements Queues {
  readonly #context: AdministrationContext

  constructor(context: AdministrationContext) {
    this.#context = context
  }

  async create(name: string, settings: QueueSettings = {}, by = this.#context.actor) {
    const { created } = await this.#change('CreateQueue', name, settings, by)
    return { created }
  }

  async update(name: string, settings: QueueSettings, by = this.#context.actor): Promise<void> {
    await this.#change('ConfigureQueue', name, settings, by)
  }

  async delete(name: string, by = this.#context.actor): Promise<void> {
    const command: CommandOf<'DeleteQueue'> = { type: 'DeleteQueue', queue: name, by }
    const { link } = await this.#partition(name)
    await link.ask<'DeleteQueue'>(command, { doneAfterDoubt: 'UnknownQueue' })
  }

  async purge(name: string, by = this.#context.actor) {
    const { link } = await this.#partition(name)
    const { purged } = await link.ask<'PurgeQueue'>({ type: 'PurgeQueue', queue: name, by })
    return { purged }
  }

  async pause(name: string, by = this.#context.actor): Promise<void> {
    const { link } = await this.#partition(name)
    await link.ask<'PauseDelivery'>({ type: 'PauseDelivery', queue: name, by })
  }

  async resume(name: string, by = this.#context.actor): Promise<void> {
    const { link } = await this.#partition(name)
    await link.ask<'ResumeDelivery'>({ type: 'ResumeDelivery', queue: name, by })
  }

  async describe(name: string): Promise<QueueDescription> {
    const { link } = await this.#partition(name)
    return link.ask<'DescribeQueue'>({ type: 'DescribeQueue', queue: name })
  }

  async list(): Promise<QueueDescription[]> {
    const partitions = await this.#context.partitions()
    const lists = await Promise.all(
      partitions.map(({ link }) => link.ask<'ListQueues'>({ type: 'ListQueues' })),
    )
    return lists
      .flatMap(({ queues }) => queues)
      .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  }

  #partition(name: string): Promise<PartitionClient> {
    checkQueueName(name)
    return this.#context.partitionOf(name)
  }

  async #change<T extends 'CreateQueue' | 'ConfigureQueue'>(
    type: T,
    name: string,
    { deadLetter, ...settings }: QueueSettings,
    by: Actor,
  ): Promise<Answers[T]> {
    const { link } = await this.#partition(name)
    const ask = (target: DeadLetterTarget | null | undefined, dryRun: boolean): Promise<Answers[T]> => {
      const config = target === undefined ? settings : { ...settings, deadLetter: target }
      return link.ask<T>({ type, queue: name, config, by, ...(dryRun ? { dryRun } : {}) } as CommandOf<T>)
    }
    if (typeof deadLetter !== 'string') {
      if (typeof deadLetter?.name === 'string') await this.#refuseCircle(name, deadLetter.name)
      return ask(deadLetter, false)
    }
    await this.#refuseCircle(name, deadLetter)
    let target = await this.#addressOf(deadLetter)
    if (target === undefined) {
      // Nothing is created for a change that is refused: it is tried first, with an address that no queue has.
      const { partition } = (await this.#partition(deadLetter)).link
      await ask({ name: deadLetter, partition, queue: Number.MAX_SAFE_INTEGER }, true)
      await this.create(deadLetter, {}, by)
      target = await this.#addressOf(deadLetter)
    }
    return ask(target, false)
  }

  /**
   * Follows the dead-letter queues from `first` on. Two changes at once may still make a circle, since no partition
   * sees another's queues. Errors: `InvalidConfig` where they come back to `name`.
   */
  async #refuseCircle(name: string, first: string): Promise<void> {
    const path = [name]
    for (let next: string | undefined = first; next !== undefined && !path.includes(next, 1);) {
      path.push(next)
      if (next === name)
        throw new KirokuError('InvalidConfig', `dead letters would go in a circle: ${path.join(' → ')}`)
      next = (await this.#find(next))?.config.deadLetter?.name
    }
  }

  async #addressOf(name: string): Promise<DeadLetterTarget | undefined> {
    const found = await this.#find(name)
    return found === undefined ? undefined : { name, partition: found.partition, queue: found.queue }
  }

  async #find(name: string): Promise<QueueDescription | undefined> {
    try {
      return await this.describe(name)
    } catch (error) {
      if (isUnknownQueue(error)) return undefined
      throw error
    }
  }
}

const isUnknownQueue = (error: unknown): error is KirokuError =>
  isKirokuError(error) && error.id === 'UnknownQueue'
