import type { Actor } from '@kiroku/message'
import { checkQueueName, type Answers, type CommandOf, type QueueDescription } from '@kiroku/partition'
import type { GroupsOptions, QueueSettings, Queues } from './Client.ts'
import { DeadLetterQueues } from './DeadLetterQueues.ts'
import type { PartitionClient } from './PartitionClient.ts'
import { SubscriptionAdministration } from './SubscriptionAdministration.ts'

/** What administration needs of its client. */
interface AdministrationContext {
  readonly partitionOf: (queue: string) => Promise<PartitionClient>
  readonly partitions: () => Promise<readonly PartitionClient[]>
  readonly actor: Actor
}

/** Administers queues by name. */
export class Administration implements Queues {
  readonly subscriptions: SubscriptionAdministration
  readonly #context: AdministrationContext
  readonly #deadLetters: DeadLetterQueues

  constructor(context: AdministrationContext) {
    this.#context = context
    const { partitionOf, partitions, actor } = context
    this.#deadLetters = new DeadLetterQueues({
      partitions: async () => (await partitions()).length,
      describe: (queue) => this.describe(queue),
      create: (queue, by) => this.create(queue, {}, by),
    })
    this.subscriptions = new SubscriptionAdministration({
      partitionOf,
      deadLetters: this.#deadLetters,
      actor,
    })
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

  async groups(name: string, { subscription, max }: GroupsOptions = {}) {
    const { link } = await this.#partition(name)
    return link.ask<'DescribeGroups'>({
      type: 'DescribeGroups',
      queue: name,
      ...(subscription === undefined ? {} : { subscription }),
      ...(max === undefined ? {} : { max }),
    })
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
    return this.#deadLetters.target(name, deadLetter, by, (target, dryRun) => {
      const config = target === undefined ? settings : { ...settings, deadLetter: target }
      return link.ask<T>({ type, queue: name, config, by, ...(dryRun ? { dryRun } : {}) } as CommandOf<T>)
    })
  }
}
