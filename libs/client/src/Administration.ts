import { isKirokuError, type Actor, type KirokuError } from '@kiroku/message'
import { checkQueueName, type CommandOf, type QueueConfig, type QueueDescription } from '@kiroku/partition'
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
    const partition = await this.#partition(name)
    const config = await this.#config(settings, by)
    const { created } = await partition.link.ask<'CreateQueue'>({
      type: 'CreateQueue',
      queue: name,
      config,
      by,
    })
    return { created }
  }

  async update(name: string, settings: QueueSettings, by = this.#context.actor): Promise<void> {
    const partition = await this.#partition(name)
    const config = await this.#config(settings, by)
    await partition.link.ask<'ConfigureQueue'>({ type: 'ConfigureQueue', queue: name, config, by })
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

  /** Settings with the dead-letter queue's address in place of its name; creates that queue if it is missing. */
  async #config({ deadLetter, ...settings }: QueueSettings, by: Actor): Promise<Partial<QueueConfig>> {
    if (deadLetter === undefined) return settings
    if (deadLetter === null || typeof deadLetter !== 'string') return { ...settings, deadLetter }
    let target: { readonly partition: number; readonly queue: number }
    try {
      target = await this.describe(deadLetter)
    } catch (error) {
      if (!isUnknownQueue(error)) throw error
      await this.create(deadLetter, {}, by)
      target = await this.describe(deadLetter)
    }
    return { ...settings, deadLetter: { name: deadLetter, partition: target.partition, queue: target.queue } }
  }
}

const isUnknownQueue = (error: unknown): error is KirokuError =>
  isKirokuError(error) && error.id === 'UnknownQueue'
